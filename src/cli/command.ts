import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { CliBackend } from './cli-backend.ts'
import { UsageError } from './failures.ts'
import { printableLine } from './printed-text.ts'
import type { Terminal } from './terminal.ts'

/** One thing the command line can do. Besides its own flags it takes those of every setting. */
export interface Command {
  /** What to type after `sepia`: `['token', 'create']`. */
  readonly words: readonly string[]
  readonly summary: string
  /** `words`: several are one argument, as they were typed, with a space between. */
  readonly argument?: { readonly name: string; readonly help: string; readonly optional?: true; readonly words?: true }
  readonly flags: readonly CommandFlag[]
  /** Runs until it is stopped, so that it has no result for `--json`. */
  readonly endless?: true
  /** Names of the settings its help lists; `all` lists every one. */
  readonly settings: 'all' | readonly string[]
  /** What else would stop it; checked when something is wrong already, so that all faults are reported at once. */
  readonly findFaults?: (backend: CliBackend, config: Config) => Promise<readonly ConfigFault[]>
  readonly run: (context: CommandContext) => Promise<CommandResult>
}

export interface CommandFlag {
  readonly name: string
  /** What to write after it; null = the bare flag. */
  readonly form: string | null
  readonly help: string
  readonly required?: boolean
}

export interface CommandContext {
  readonly config: Config
  readonly report: readonly SettingReport[]
  /** The value of the command's argument; "" when it takes none or an optional one was left out. */
  readonly argument: string
  /** Values of the command's own flags; bare ones hold "". */
  readonly flags: ReadonlyMap<string, string>
  readonly backend: CliBackend
  /** Every command there is. */
  readonly commands: readonly Command[]
  readonly version: string
  readonly terminal: Terminal
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether only the JSON may go to standard output. */
  readonly json: boolean
  readonly signal: AbortSignal
}

/** What a command found or did, for people and for programs. */
export interface CommandResult {
  /** Lines for standard output, without the last line break; empty prints nothing. */
  readonly text: string
  /** Whether the first line is a heading. */
  readonly heading?: boolean
  /** The one object that `--json` prints. */
  readonly json: Readonly<Record<string, unknown>>
  /** Whether what it checked was in order; false exits with 1. */
  readonly healthy?: boolean
}

/**
 * Allows a command to make a new database, and says so, where the command line, the environment or the file names the data folder. By
 * default the folder is the one that a person happens to stand in: a database there would belong to no service.
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

/** The flag of every command that destroys something. */
export const yesFlag = { name: 'yes', form: null, help: 'Do not ask.' } as const

/**
 * Asks before something is destroyed, unless `--yes` was given.
 *
 * @param unattended What to do where nobody can answer: `proceed` fits what is easily made again, and scripts do daily.
 * @throws {UsageError} when the answer is not yes, or nobody can answer and that does not do.
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
