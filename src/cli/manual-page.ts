import { flagsOf, usage } from './arguments.ts'
import type { Command, CommandFlag } from './command.ts'

/** Generates the manual page sepia(1) from the table of commands. */
export function manualPage(commands: readonly Command[], version: string): string {
  return `${[
    `.TH SEPIA 1 "" "Sepia ${written(version)}" "Sepia"`,
    '.SH NAME',
    'sepia \\- runs language and image models and serves them over HTTP',
    '.SH SYNOPSIS',
    '.B sepia',
    '.I command',
    '.RI [ flags ]',
    '.SH DESCRIPTION',
    'Runs the service, and is also a client for it.',
    'Every setting is a flag of every command, an environment variable (\\-\\-port: SEPIA_PORT) and a key of',
    '.IR sepia.config.json ;',
    '.B sepia config',
    'shows the values in use, and',
    '.B sepia serve \\-\\-help',
    'lists them all.',
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH ENVIRONMENT',
    ...item('SEPIA_URL, SEPIA_TOKEN', 'The service to talk to and an access token for it; rank above what sepia login kept.'),
    ...item('SEPIA_<SETTING>', 'A setting.'),
    ...item('NO_COLOR', 'No colours, also on a terminal.'),
    '.SH FILES',
    ...item('~/.config/sepia/login.json', 'What sepia login keeps, below XDG_CONFIG_HOME where that is set.'),
    ...item('./sepia.config.json', 'Settings.'),
    '.SH EXIT STATUS',
    ...item('0', 'Done.'),
    ...item('1', 'The command failed, or a check found a fault.'),
    ...item('2', 'The command line or a setting is wrong.'),
  ].join('\n')}\n`
}

function section(command: Command): readonly string[] {
  const { argument } = command
  return [
    `.SS sepia ${written(usage(command))}`,
    written(command.summary),
    ...(argument === undefined ? [] : item(argument.name, argument.help)),
    ...flagsOf(command).flatMap(({ name, form, help }: CommandFlag) => item(`--${name}${form === null ? '' : ` ${form}`}`, help)),
  ]
}

function item(term: string, words: string): readonly string[] {
  return ['.TP', `.B ${written(term)}`, written(words)]
}

/** Escapes a text for man. */
function written(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, '\\&$&')
    .replaceAll('\n', ' ')
    .replaceAll(/[^ -~]/g, (character) => `\\[u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
}
