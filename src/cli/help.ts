import { fallbackWords, type SettingDescription } from '../config/setting.ts'
import { allSettings, groupedSettings } from '../config/settings.ts'
import { flagsOf, takesValue } from './arguments.ts'
import type { Command, CommandFlag } from './command.ts'

/** What `sepia` without arguments prints. */
export function overview(commands: readonly Command[]): string {
  return [
    'Sepia runs language models and Stable Diffusion models and answers over HTTP.',
    '',
    'Usage: sepia <command> [flags]',
    '',
    indent(commands.map((command) => [usage(command), command.summary])),
    '',
    'To begin:',
    '  sepia serve',
    '',
    'sepia <command> --help explains a command. Every flag is also an environment',
    'variable (--port: SEPIA_PORT) and a key of sepia.config.json (port);',
    'sepia config shows what is in force.',
  ].join('\n')
}

/** What `sepia <first word> --help` prints where several commands begin with that word. */
export function groupHelp(word: string, group: readonly Command[]): string {
  return [
    `Usage: sepia ${word} <command> [flags]`,
    '',
    indent(group.map((command) => [usage(command), command.summary])),
    '',
    `sepia ${word} <command> --help explains a command.`,
  ].join('\n')
}

/** What `sepia <command> --help` prints. */
export function commandHelp(command: Command): string {
  const listed = command.settings
  const sections = [
    wrap(`${command.summary}\n\nUsage: sepia ${usage(command)} [flags]`),
    command.argument && `Argument:\n${indent([[command.argument.name, command.argument.help]])}`,
    `Flags:\n${indent(flagsOf(command).map(flagRow))}`,
    ...settingGroups(listed).map(([group, members]) => `${group}:\n${indent(members.map(settingRow))}`),
  ]
  return sections.filter((section) => section !== undefined).join('\n\n')
}

function settingGroups(listed: Command['settings']): readonly (readonly [string, readonly SettingDescription[]])[] {
  if (listed === 'all') return groupedSettings()
  return listed.length === 0 ? [] : [['Settings', allSettings.filter(({ name }) => listed.includes(name))]]
}

/** What to type after `sepia`. */
export function usage({ words, argument, flags }: Command): string {
  const required = flags.filter((flag) => flag.required === true).map(({ name, form }) => `--${name} ${form ?? ''}`)
  return [
    ...words,
    ...(argument === undefined ? [] : [argument.optional === true ? `[${argument.name}]` : argument.name]),
    ...required,
  ].join(' ')
}

function flagRow({ name, form, help }: CommandFlag): readonly string[] {
  return [form === null ? `--${name}` : `--${name} ${form}`, help]
}

function settingRow(setting: SettingDescription): readonly string[] {
  const flag = takesValue(setting) === 'maybe' ? `--${setting.name}[=off]` : `--${setting.name} ${setting.form}`
  return [flag, `${setting.help} [${fallbackWords(setting)}]`.replaceAll('`', '')]
}

/** Columns that help takes at most: the width of a terminal that nobody made wider. */
const helpWidth = 80
/** Names longer than this stand on a line of their own, so that the words beside the others keep their room. */
const longestName = 26

/** Names with their words beside them. */
function indent(rows: readonly (readonly string[])[]): string {
  const column = Math.max(...rows.map(([name = '']) => (name.length > longestName ? 0 : name.length))) + 4
  const margin = ' '.repeat(column)
  return rows
    .map(([name = '', words = '']) => {
      const lines = wrap(words, helpWidth - column).replaceAll('\n', `\n${margin}`)
      return name.length > longestName ? `  ${wrap(name, helpWidth - 2)}\n${margin}${lines}` : `  ${name}`.padEnd(column) + lines
    })
    .join('\n')
}

/** Breaks lines between words; a longer word stays whole. */
function wrap(text: string, width: number = helpWidth): string {
  return text.replaceAll(new RegExp(`(?=.{${width + 1}})(.{1,${width}}) +`, 'g'), '$1\n')
}
