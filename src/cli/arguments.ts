import { parseArgs } from 'node:util'
import type { ConfigFault } from '../config/load-config.ts'
import { toggle } from '../config/setting-kinds.ts'
import { allSettings } from '../config/settings.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import type { Command, CommandFlag } from './command.ts'

/** Flags of nearly every command. */
export const commonFlags: readonly CommandFlag[] = [
  { name: 'config', form: '<file>', help: 'Configuration file; default ./sepia.config.json, if it is there.' },
  { name: 'json', form: null, help: 'Print one JSON object and nothing else.' },
  { name: 'help', form: null, help: 'Explain the command.' },
  { name: 'version', form: null, help: 'Print the version.' },
]

const settingFlags: readonly CommandFlag[] = allSettings

/** A parsed, unchecked command line. */
export interface Arguments {
  readonly command: Command | undefined
  /** Arguments after the command's words. */
  readonly rest: readonly string[]
  /** All values by flag name without dashes; a flag without a value has `true`. */
  readonly flags: ReadonlyMap<string, readonly (string | true)[]>
}

/** A command's own flags and the common ones it accepts. */
export function flagsOf({ flags, endless }: Command): readonly CommandFlag[] {
  return [...flags, ...commonFlags.filter(({ name }) => name !== 'json' || endless !== true)]
}

/** Parses a command line into command, arguments and flags. */
export function parseArguments(argv: readonly string[], commands: readonly Command[]): Arguments {
  const known = [...commands.flatMap(({ flags }) => flags), ...commonFlags, ...settingFlags]
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(known.map((flag) => [flag.name, { type: takesValue(flag) === 'always' ? 'string' : 'boolean' } as const])),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const switches = known.filter((flag) => takesValue(flag) === 'maybe').map(({ name }) => name)
  const flags = new Map<string, (string | true)[]>()
  const positionals: string[] = []
  let bareSwitch: { readonly name: string; readonly index: number } | null = null
  for (const token of tokens) {
    if (token.kind === 'positional' && bareSwitch?.index === token.index - 1 && isPosition(token.value))
      flags.set(bareSwitch.name, [...(flags.get(bareSwitch.name) ?? []).slice(0, -1), token.value])
    else if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind === 'option') flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? true])
    bareSwitch = token.kind === 'option' && token.value === undefined && switches.includes(token.name) ? token : null
  }
  const command = commands
    .filter(({ words }) => words.every((word, index) => positionals[index] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
  return { command, rest: positionals.slice(command?.words.length ?? 0), flags }
}

/** Whether a word after a switch is its value, as in `--wide-penalties off`. */
function isPosition(word: string): boolean {
  return 'value' in toggle.parse(word, '')
}

/** All faults of a command's flags and arguments, except the values of settings. */
export function checkArguments(command: Command, { rest, flags }: Arguments): readonly ConfigFault[] {
  const known = [...flagsOf(command), ...settingFlags]
  const unknown = findUnknownFlags(flagsOf(command), { flags })
  return [
    ...unknown,
    ...[...flags].flatMap(([name, values]) =>
      checkValues(
        `--${name}`,
        values,
        known.find((flag) => flag.name === name),
      ),
    ),
    ...command.flags
      .filter(({ name, required }) => required === true && !flags.has(name))
      .map((flag) => ({ where: dashed(flag), message: `is missing; add ${dashed(flag)} ${flag.form}.` })),
    // The value of an unknown flag looks like an argument; report one fault only.
    ...(unknown.length === 0 ? checkRest(command, rest) : []),
  ]
}

/** Flags that belong to neither the command nor a setting, with suggestions. */
export function findUnknownFlags(own: readonly CommandFlag[], { flags }: Pick<Arguments, 'flags'>): readonly ConfigFault[] {
  const known = [...own, ...settingFlags].map(({ name }) => name)
  return [...flags.keys()]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      where: `--${name}`,
      message: `there is no such flag.${didYouMean(
        `--${name}`,
        known.map((each) => `--${each}`),
      )}`,
    }))
}

/** The values of settings among the flags, without those of the command itself and those lacking a value. */
export function settingValues({ command, flags }: Arguments): Readonly<Record<string, unknown>> {
  const config = commonFlags.filter(({ name }) => name === 'config')
  const settings = settingFlags.filter(({ name }) => command?.flags.every((own) => own.name !== name) ?? true)
  const given = [...config, ...settings].flatMap((flag) => {
    const values = flags.get(flag.name)?.filter((value) => value !== true || takesValue(flag) !== 'always') ?? []
    return values.length === 0 ? [] : [[flag.name, values.length === 1 ? values[0] : values] as const]
  })
  return Object.fromEntries(given)
}

/** Whether a flag requires, allows or forbids a value. */
export function takesValue({ form }: Pick<CommandFlag, 'form'>): 'always' | 'maybe' | 'never' {
  if (form === null) return 'never'
  return form === toggle.form ? 'maybe' : 'always'
}

function checkValues(where: string, values: readonly (string | true)[], flag: CommandFlag | undefined): readonly ConfigFault[] {
  if (flag === undefined) return []
  if (takesValue(flag) === 'always' && values.includes(true)) return [{ where, message: `expected ${flag.form} after it.` }]
  if (takesValue(flag) === 'never' && values.some((value) => value !== true)) return [{ where, message: 'takes no value.' }]
  return []
}

/** The usage of a command, after `sepia`. */
export function usage({ words, argument, flags }: Command): string {
  const required = flags.filter((flag) => flag.required === true).map(({ name, form }) => `--${name} ${form ?? ''}`)
  return [
    ...words,
    ...(argument === undefined ? [] : [argument.optional === true ? `[${argument.name}]` : argument.name]),
    ...required,
  ].join(' ')
}

function dashed({ name }: CommandFlag): string {
  return `--${name}`
}

function checkRest(command: Command, rest: readonly string[]): readonly ConfigFault[] {
  const { argument, words } = command
  const name = `sepia ${words.join(' ')}`
  if (argument !== undefined && argument.optional !== true && rest[0] === undefined)
    return [
      { where: name, message: `expected ${argument.name}.\nUsage: sepia ${usage(command)} [flags]\n${argument.name}: ${argument.help}` },
    ]
  if (argument?.words === true) return []
  return rest.slice(argument === undefined ? 0 : 1).map((extra) => ({ where: extra, message: `${name} takes no such argument.` }))
}
