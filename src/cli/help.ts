import { fallbackWords, type SettingDescription } from '../config/setting.ts'
import { allSettings, groupedSettings } from '../config/settings.ts'
import { flagsOf, takesValue, usage } from './arguments.ts'
import type { Command, CommandFlag } from './command.ts'

/** Output of `sepia` without arguments. */
export function overview(commands: readonly Command[]): string {
  return [
    'Sepia runs language and image models and serves them over HTTP.',
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
    'sepia config shows the values in use.',
  ].join('\n')
}

/** Output of `sepia <first word> --help` for a group of commands. */
export function groupHelp(word: string, group: readonly Command[]): string {
  return [
    `Usage: sepia ${word} <command> [flags]`,
    '',
    indent(group.map((command) => [usage(command), command.summary])),
    '',
    `sepia ${word} <command> --help explains a command.`,
  ].join('\n')
}

/** Output of `sepia <command> --help`. */
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

function flagRow({ name, form, help }: CommandFlag): readonly string[] {
  return [form === null ? `--${name}` : `--${name} ${form}`, help]
}

function settingRow(setting: SettingDescription): readonly string[] {
  const flag = takesValue(setting) === 'maybe' ? `--${setting.name}[=off]` : `--${setting.name} ${setting.form}`
  return [flag, `${setting.help} [${fallbackWords(setting)}]`.replaceAll('`', '')]
}

/** Maximum width of help, the default width of terminals. */
const helpWidth = 80
/** Longer names are on a line of their own, to leave space for the other descriptions. */
const longestName = 26

/** Formats names with descriptions in two columns. */
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

/** Wraps lines between words; longer words stay whole. */
function wrap(text: string, width: number = helpWidth): string {
  return text.replaceAll(new RegExp(`(?=.{${width + 1}})(.{1,${width}}) +`, 'g'), '$1\n')
}
