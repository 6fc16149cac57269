import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { CliBackend } from './cli-backend.ts'
import { UsageError } from './failures.ts'
import { printableLine } from './printed-text.ts'
import type { Terminal } from './terminal.ts'

/** A command. It accepts its own flags and those of every setting. */
export interface Command {
  /** Words after `sepia`: `['token', 'create']`. */
  readonly words: readonly string[]
  readonly summary: string
  /** `words`: several words form one argument, joined by spaces. */
  readonly argument?: { readonly name: string; readonly help: string; readonly optional?: true; readonly words?: true }
  readonly flags: readonly CommandFlag[]
  /** Runs until stopped, so it has no result for `--json`. */
  readonly endless?: true
  /** Names of the settings listed in its help; `all` = every one. */
  readonly settings: 'all' | readonly string[]
  /** Finds further faults; called if there are faults already, so that all are reported together. */
  readonly findFaults?: (backend: CliBackend, config: Config) => Promise<readonly ConfigFault[]>
  readonly run: (context: CommandContext) => Promise<CommandResult>
}

export interface CommandFlag {
  readonly name: string
  /** Form of its value; null = no value. */
  readonly form: string | null
  readonly help: string
  readonly required?: boolean
}

export interface CommandContext {
  readonly config: Config
  readonly report: readonly SettingReport[]
  /** The command's argument; "" if there is none. */
  readonly argument: string
  /** Values of the command's own flags; "" for those without a value. */
  readonly flags: ReadonlyMap<string, string>
  readonly backend: CliBackend
  /** All commands. */
  readonly commands: readonly Command[]
  /** The command line as it is typed: `./sepia` in a clone of the repository. */
  readonly program: 'sepia' | './sepia'
  readonly version: string
  readonly terminal: Terminal
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether standard output must contain only JSON. */
  readonly json: boolean
  readonly signal: AbortSignal
}

/**
 * Names the program as it is typed, wherever a message or a help text names one of its commands. Messages come from all parts of the
 * service, which write `sepia`.
 */
export function asTyped(text: string, { program, commands }: Pick<CommandContext, 'program' | 'commands'>): string {
  const words = [...new Set(commands.flatMap(({ words }) => words.slice(0, 1)))]
  return text.replace(new RegExp(`^sepia(?= )|(?<=[\\s("\`])sepia(?= (?:<|--help|(?:${words.join('|')})\\b))`, 'g'), program)
}

/** Result of a command, for people and for programs. */
export interface CommandResult {
  /** Lines for standard output without the last line break; empty = nothing. */
  readonly text: string
  /** Whether the first line is a heading. */
  readonly heading?: boolean
  /** The object printed by `--json`. */
  readonly json: Readonly<Record<string, unknown>>
  /** Whether the checked things are in order; false = exit code 1. */
  readonly healthy?: boolean
}

/**
 * Allows creating a database only if the data folder was set explicitly, and reports it. The default folder depends on the current
 * directory, where a new database would belong to no service.
 */
export function allowNewDatabase({ report, terminal }: Pick<CommandContext, 'report' | 'terminal'>): {
  readonly onCreate?: (dataFolder: string) => void
} {
  if (report.some(({ name, source }) => name === 'data' && source === 'default')) return {}
  return {
    onCreate: (dataFolder) =>
      terminal.err(`There was no database in ${printableLine(dataFolder)}; this is a new one that no running service uses.\n`),
  }
}

/** The flag of every destructive command. */
export const yesFlag = { name: 'yes', form: null, help: 'Do not ask.' } as const

/**
 * Asks for confirmation before a destructive action, unless `--yes` is given.
 *
 * @param unattended What to do without a terminal: `proceed` suits actions that are easily undone and common in scripts.
 * @throws {UsageError} if the answer is not yes, or confirmation is required without a terminal.
 */
export async function confirm(
  { flags, terminal, signal }: CommandContext,
  { warning, unattended }: { readonly warning: string; readonly unattended: 'proceed' | 'refuse' },
): Promise<void> {
  if (flags.has(yesFlag.name)) return
  const line = printableLine(warning)
  const answer = await terminal.ask(`${line} Continue? [y/N] `, { signal })
  if (answer === null && unattended === 'proceed') return
  if (answer === null) throw new UsageError([{ where: '--yes', message: `${line} Add --yes to skip this question.` }])
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError([{ where: 'Stopped', message: 'nothing was changed.' }])
}
