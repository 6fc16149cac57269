import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { Machine } from '../config/machine.ts'
import { type Arguments, checkArguments, commonFlags, findUnknownFlags, parseArguments, settingValues } from './arguments.ts'
import type { CliBackend } from './cli-backend.ts'
import { asTyped, type Command, type CommandResult } from './command.ts'
import { commands } from './commands.ts'
import { describeFailure, UsageError } from './failures.ts'
import { commandHelp, groupHelp, overview } from './help.ts'
import { paint, printable, printableLine } from './printed-text.ts'
import type { Terminal } from './terminal.ts'
import { unknownCommand } from './unknown-command.ts'

export interface CliSurroundings {
  readonly terminal: Terminal
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly machine: Machine
  /** Loads the backend, which takes time that help and errors do not need. */
  readonly loadBackend: () => Promise<CliBackend>
  /** The command line as it is typed: `./sepia` in a clone of the repository. */
  readonly program: 'sepia' | './sepia'
  readonly version: string
  /** Aborts when the user or the operating system stops the program. */
  readonly signal: AbortSignal
}

/**
 * Runs one command line.
 *
 * @returns The exit code: 0 = success, 1 = failure, 2 = invalid command line or setting.
 */
export async function runCli(argv: readonly string[], surroundings: CliSurroundings): Promise<number> {
  const { terminal, program } = surroundings
  const parsed = parseArguments(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv, commands)
  const json = parsed.flags.has('json')
  try {
    const result = await answer(parsed, surroundings)
    if (json) terminal.out(`${printableLine(JSON.stringify(result.json))}\n`)
    else if (result.text !== '') terminal.out(`${present(terminal, result)}\n`)
    return result.healthy === false ? 1 : 0
  } catch (error) {
    const message = asTyped(describeFailure(error), { program, commands })
    if (json) terminal.out(`${printableLine(JSON.stringify({ error: { message } }))}\n`)
    else terminal.err(`${paint(terminal, 'red', printable(message))}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function present(terminal: Terminal, { text, heading = false }: CommandResult): string {
  const [first = '', ...rest] = printable(text).split('\n')
  return [heading ? paint(terminal, 'bold', first) : first, ...rest].join('\n')
}

async function answer(parsed: Arguments, surroundings: CliSurroundings): Promise<CommandResult> {
  const { command, rest, flags } = parsed
  const { program } = surroundings
  if (flags.has('version')) return { text: surroundings.version, json: { version: surroundings.version } }
  if (command === undefined) {
    const [word = ''] = rest
    const group = commands.filter(({ words }) => words.length > 1 && words[0] === word)
    if (flags.has('help') && rest.length === 1 && group.length > 0)
      return { text: asTyped(groupHelp(word, group), { program, commands }), json: listCommands(group) }
    // A word after an unknown flag may be its value.
    const ofSome = rest.length === 0 ? [] : commands.flatMap((each) => each.flags.map(({ name }) => `--${name}`))
    const faults = findUnknownFlags(commonFlags, parsed).filter(({ where }) => !ofSome.includes(where))
    if (faults.length > 0) throw new UsageError(faults)
    if (rest.length > 0) throw new UsageError([unknownCommand(rest)])
    const lone = [...flags.keys()].find((name) => !commonFlags.some((flag) => flag.name === name))
    if (lone !== undefined && !flags.has('help'))
      throw new UsageError([{ where: `--${lone}`, message: 'needs a command, such as serve. See sepia --help.' }])
    return { text: asTyped(overview(commands), { program, commands }), json: listCommands(commands) }
  }
  if (flags.has('help')) {
    const { words, summary } = command
    return { text: asTyped(commandHelp(command), { program, commands }), json: { command: words.join(' '), summary } }
  }
  const { config, report } = await readSettings(command, parsed, surroundings)
  const { loadBackend, terminal, environment, signal } = surroundings
  const own = command.flags.flatMap(({ name }) => {
    const value = flags.get(name)?.at(-1)
    return value === undefined ? [] : [[name, value === true ? '' : value] as const]
  })
  const argument = command.argument?.words === true ? rest.join(' ') : (rest[0] ?? '')
  const input = { config, report, argument, flags: new Map(own), environment, json: flags.has('json') }
  return await command.run({ ...input, commands, program, version: surroundings.version, backend: await loadBackend(), terminal, signal })
}

function listCommands(some: readonly Command[]): CommandResult['json'] {
  return { commands: some.map(({ words, summary }) => ({ command: words.join(' '), summary })) }
}

/** @throws {UsageError} with all faults of the command line and the settings. */
async function readSettings(
  command: Command,
  parsed: Arguments,
  { environment, machine, loadBackend }: CliSurroundings,
): Promise<LoadedConfig> {
  const sources = { flags: settingValues(parsed), environment }
  const loaded = await loadConfig(sources, machine)
  const faults = [...checkArguments(command, parsed), ...('faults' in loaded ? loaded.faults : [])]
  if (faults.length === 0 && 'config' in loaded) {
    const service = command.endless ? null : await (await loadBackend()).findRunningService(loaded.config)
    const beside = service === null ? loaded : await loadConfig({ ...sources, service }, machine)
    return 'config' in beside ? beside : loaded
  }
  const attempted = 'config' in loaded ? loaded.config : loaded.attempted
  const further = attempted === undefined ? undefined : command.findFaults?.(await loadBackend(), attempted)
  const unread = new Set(faults.flatMap(({ settings }) => settings ?? []))
  // An unreadable setting counts as set.
  const lacking = ((await further) ?? []).filter(({ where, settings = [where] }) => !settings.some((setting) => unread.has(setting)))
  throw new UsageError([...faults, ...lacking])
}
