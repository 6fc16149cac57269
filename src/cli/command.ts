import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { CliBackend } from './cli-backend.ts'
import type { Terminal } from './terminal.ts'

/** One thing the command line can do. Besides its own flags it takes those of every setting. */
export interface Command {
  /** What to type after `sepia`: `['token', 'create']`. */
  readonly words: readonly string[]
  readonly summary: string
  /** `words`: several are one argument, as they were typed, with a space between. */
  readonly argument?: { readonly name: string; readonly help: string; readonly optional?: true; readonly words?: true }
  readonly flags: readonly CommandFlag[]
  /** Runs until it is told to stop, so that it has no result that `--json` could print. */
  readonly endless?: true
  /** Names of the settings its help lists; `all` lists every one. */
  readonly settings: 'all' | readonly string[]
  /** What else would stop it; looked for when something is wrong already, so that everything is told at once. */
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
