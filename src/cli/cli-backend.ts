import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { AccessToken, Scope } from '../core/access-token.ts'
import type { Account, Role } from '../core/account.ts'
import type { FoundDevice } from '../core/compute-device.ts'
import type { AccountLimits, UseLimits } from '../core/limits/use-limits.ts'
import type { ModelDescriptor, PlacedModel } from '../core/model.ts'
import type { FoundOnHub, PullPlan } from '../core/model-pull.ts'
import type { BodyLogSwitch, BodyPart, LoggedBody } from '../core/requests/logged-body.ts'
import type { Abortable } from '../core/waiting.ts'
import type { ReportProgress } from './progress-bar.ts'

type SlowOptions = Abortable & { readonly onProgress: ReportProgress }

/** The parts of the service that commands need; implemented by composition, which loads each part on first use. */
export interface CliBackend {
  /**
   * Runs the service until the signal aborts and everything is drained; `print` writes to standard output, `report` lists the settings with
   * their sources.
   */
  readonly serve: (
    config: Config,
    options: Abortable & { readonly print: (text: string) => void; readonly report: readonly SettingReport[] },
  ) => Promise<void>
  /** Combinations of valid settings that prevent the start. */
  readonly findStartFaults: (config: Config) => Promise<readonly ConfigFault[]>
  /** Settings of the service running on the data folder, as far as commands need them; null = none is running. */
  readonly findRunningService: (config: Config) => Promise<Readonly<Record<string, string>> | null>
  /**
   * Accounts and tokens of the data folder, with or without a running service; a missing database is refused unless `onCreate` is given,
   * which is called when one is created.
   */
  readonly openAccountDesk: (
    config: Config,
    options: Abortable & { readonly onCreate?: (dataFolder: string) => void },
  ) => Promise<AccountDesk>
  /** GPUs available to the engines. */
  readonly listDevices: (options: Abortable) => Promise<readonly FoundDevice[]>
  readonly listModels: (config: Config) => Promise<readonly ModelDescriptor[]>
  /** Pulls a model into the data folder and checks it; calls `onPlan` first. */
  readonly pullModel: (
    config: Config,
    source: string,
    options: SlowOptions & { readonly offline?: boolean; readonly onPlan?: (plan: PullPlan) => void },
  ) => Promise<ModelDescriptor>
  /** Plans a pull; downloads only the description. */
  readonly planPull: (config: Config, source: string, options: Abortable & { readonly offline?: boolean }) => Promise<PullPlan>
  /** Searches the hub. */
  readonly searchModels: (config: Config, words: string, options: Abortable) => Promise<readonly FoundOnHub[]>
  /** Models in another program's folder; `folder` = another than the usual one. @throws {UsageError} for an unknown program or folder. */
  readonly findForeignModels: (
    config: Config,
    program: string,
    options: { readonly folder: string | null; readonly environment: Readonly<Record<string, string | undefined>> },
  ) => Promise<{ readonly folder: string; readonly models: readonly ForeignModelRow[] }>
  /** Links some of them by name or id into the data folder. @throws {UsageError} for unknown or already installed ones. */
  readonly registerForeignModels: (
    config: Config,
    models: readonly ForeignModelRow[],
    names: readonly string[],
  ) => Promise<readonly ForeignModelRow[]>
  /** A pulled model, or a file that was left out, whose folder removing it deletes; built-in ones and those of other folders are refused. */
  readonly findRemovableModel: (config: Config, modelId: string) => Promise<PlacedModel & { readonly id: string; readonly bytes: number }>
  readonly removeModel: (model: PlacedModel) => Promise<void>
  /** Adds a key to the request log's key file, which is created if missing. */
  readonly makeLogKey: (config: Config, options: Abortable) => Promise<{ readonly id: string; readonly file: string }>
  /** Writes everything except models into one file, even while the service is running. */
  readonly backup: (config: Config, file: string, options: SlowOptions) => Promise<{ readonly bytes: number }>
  /** Replaces the content of the data folder; the service must not be running. */
  readonly restore: (config: Config, file: string, options: SlowOptions) => Promise<void>
  /** Copies the data folder into a PostgreSQL database; the service must not be running. Returns the number of rows by table. */
  readonly migrate: (config: Config, target: string, options: SlowOptions) => Promise<Readonly<Record<string, number>>>
  /** `fetch` for a running service, direct or through a proxy. */
  readonly openFetch: (config: Config) => typeof fetch
  readonly doctor: (config: Config, options: SlowOptions) => Promise<readonly Finding[]>
}

/** A model in another program's folder. */
export interface ForeignModelRow {
  readonly name: string
  readonly id: string
  readonly bytes: number
  readonly links: ReadonlyMap<string, string>
  /** Whether a model with this id is installed. */
  readonly installed: boolean
}

/** Accounts and their tokens; disposing closes the store. */
export interface AccountDesk extends AsyncDisposable {
  listAccounts(options: Abortable): Promise<readonly Account[]>
  createAccount(input: { readonly name: string; readonly role: Role }, options: Abortable): Promise<Account>
  /** Creates a one-time link with which the account's user sets a new sign-in. */
  makeSignInLink(accountId: string, options: Abortable): Promise<string>
  /** Changes the given fields. */
  changeAccount(
    accountId: string,
    change: { readonly disabled?: boolean; readonly limits?: Partial<AccountLimits> },
    options: Abortable,
  ): Promise<void>
  /** Disables an account and schedules the erasure of its data. */
  deleteAccount(account: Pick<Account, 'id' | 'name'>, options: Abortable): Promise<void>
  /** Removes an account's second factor; false = there is none. */
  resetSecondFactor(accountId: string, options: Abortable): Promise<boolean>
  listTokens(accountId: string, options: Abortable): Promise<readonly AccessToken[]>
  createToken(input: NewToken, options: Abortable): Promise<{ readonly text: string; readonly token: AccessToken }>
  /** Changes the given limits of a token. */
  limitToken(target: { readonly id: string; readonly accountId: string }, limits: Partial<UseLimits>, options: Abortable): Promise<void>
  revokeToken(target: { readonly id: string; readonly accountId: string }, options: Abortable): Promise<void>
  accountLog(accountId: string, options: Abortable): Promise<AccountLog>
  /** Logs the bodies of an account's requests from now on; `forMs: null` = until switched off. */
  switchLogOn(accountId: string, wish: { readonly keepMs: number; readonly forMs: number | null }, options: Abortable): Promise<void>
  switchLogOff(accountId: string, options: Abortable): Promise<void>
  deleteBodies(accountId: string, options: Abortable): Promise<void>
  readBodies(accountId: string, requestId: string, options: Abortable): Promise<readonly KeptBody[]>
}

/** State of an account's request log. */
export interface AccountLog {
  /** null = off. */
  readonly on: BodyLogSwitch | null
  readonly bodies: number
  readonly bytes: number
}

/** A logged body, or why it cannot be read. */
export type KeptBody = LoggedBody | { readonly part: BodyPart; readonly at: number; readonly unreadable: 'key' | 'damaged' }

export interface NewToken {
  /** null = the first account, which is created if there is none. */
  readonly accountId: string | null
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null = never expires. */
  readonly lifetimeMs: number | null
}

/** A result of `sepia doctor`. */
export interface Finding {
  readonly subject: string
  readonly healthy: boolean
  /** Whether a remote service did not respond, which is not a fault of this machine; absent = no. */
  readonly away?: boolean
  /** The result and the fix. */
  readonly message: string
}
