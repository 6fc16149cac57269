import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { AccessToken, Scope } from '../core/access-token.ts'
import type { Account, Role } from '../core/account.ts'
import type { FoundDevice } from '../core/compute-device.ts'
import type { AccountLimits, UseLimits } from '../core/limits/use-limits.ts'
import type { ModelDescriptor, PlacedModel } from '../core/model.ts'
import type { FoundOnHub, PullPlan } from '../core/model-pull.ts'
import type { BodyLogSwitch, BodyPart, LoggedBody } from '../core/requests/logged-body.ts'
import type { ReportProgress } from './progress-bar.ts'

type Options = { readonly signal: AbortSignal }
type SlowOptions = Options & { readonly onProgress: ReportProgress }

/** What the commands need from the rest of the service; composition implements it and loads each part on first use. */
export interface CliBackend {
  /** Runs the service until the signal is aborted and everything is drained; `print` writes to standard output, `report` says where the settings came from. */
  readonly serve: (
    config: Config,
    options: Options & { readonly print: (text: string) => void; readonly report: readonly SettingReport[] },
  ) => Promise<void>
  /** What keeps a service with these settings from starting, though each of them is well written. */
  readonly findStartFaults: (config: Config) => Promise<readonly ConfigFault[]>
  /** What the service that runs on the data folder was started with, setting by setting, as far as commands beside it need it; null when none does. */
  readonly findRunningService: (config: Config) => Promise<Readonly<Record<string, string>> | null>
  /** Accounts and tokens of the data folder, whether or not the service runs on it; one without a database is refused unless `onCreate` is given, which is called when one is created. */
  readonly openAccountDesk: (
    config: Config,
    options: Options & { readonly onCreate?: (dataFolder: string) => void },
  ) => Promise<AccountDesk>
  /** GPUs that the engines can compute on. */
  readonly listDevices: (options: Options) => Promise<readonly FoundDevice[]>
  readonly listModels: (config: Config) => Promise<readonly ModelDescriptor[]>
  /** Copies a model from a web address or a folder into the data folder and checks it, and tells `onPlan` first what that will do. */
  readonly pullModel: (
    config: Config,
    source: string,
    options: SlowOptions & { readonly offline?: boolean; readonly onPlan?: (plan: PullPlan) => void },
  ) => Promise<ModelDescriptor>
  /** What pulling it would do; nothing but its description is fetched. */
  readonly planPull: (config: Config, source: string, options: Options & { readonly offline?: boolean }) => Promise<PullPlan>
  /** Models of the hub that match some words. */
  readonly searchModels: (config: Config, words: string, options: Options) => Promise<readonly FoundOnHub[]>
  /** The models that lie in another program's folder, and the folder; `folder` = another than that program's own. @throws {UsageError} where there is no such program or folder. */
  readonly findForeignModels: (
    config: Config,
    program: string,
    options: { readonly folder: string | null; readonly environment: Readonly<Record<string, string | undefined>> },
  ) => Promise<{ readonly folder: string; readonly models: readonly ForeignModelRow[] }>
  /** Links some of them, by their names or ids, into the data folder. @throws {UsageError} naming what is not there or installed already. */
  readonly registerForeignModels: (
    config: Config,
    models: readonly ForeignModelRow[],
    names: readonly string[],
  ) => Promise<readonly ForeignModelRow[]>
  /** A pulled model, or a file that was left out, whose folder removing it deletes; built-in ones and those of other folders are refused. */
  readonly findRemovableModel: (config: Config, modelId: string) => Promise<PlacedModel & { readonly id: string; readonly bytes: number }>
  readonly removeModel: (model: PlacedModel) => Promise<void>
  /** Adds a key to the file of the request log's keys, which is made where it is missing. */
  readonly makeLogKey: (config: Config, options: Options) => Promise<{ readonly id: string; readonly file: string }>
  /** Writes everything but the models into one file, while the service may be running. */
  readonly backup: (config: Config, file: string, options: SlowOptions) => Promise<{ readonly bytes: number }>
  /** Replaces the data folder's content; the service must not run. */
  readonly restore: (config: Config, file: string, options: SlowOptions) => Promise<void>
  /** Copies the data folder's records into a PostgreSQL database; the service must not run. Tells rows by table. */
  readonly migrate: (config: Config, target: string, options: SlowOptions) => Promise<Readonly<Record<string, number>>>
  /** How a running service is called, directly or through a proxy. */
  readonly openFetch: (config: Config) => typeof fetch
  readonly doctor: (config: Config, options: SlowOptions) => Promise<readonly Finding[]>
}

/** A model that lies in another program's folder. */
export interface ForeignModelRow {
  readonly name: string
  readonly id: string
  readonly bytes: number
  readonly links: ReadonlyMap<string, string>
  /** Whether a model of this id is installed. */
  readonly installed: boolean
}

/** Accounts and their tokens; disposing it closes the store. */
export interface AccountDesk extends AsyncDisposable {
  listAccounts(options: Options): Promise<readonly Account[]>
  createAccount(input: { readonly name: string; readonly role: Role }, options: Options): Promise<Account>
  /** A link with which the account's person sets a new sign-in, once. */
  makeSignInLink(accountId: string, options: Options): Promise<string>
  /** Changes what is given and leaves the rest. */
  changeAccount(
    accountId: string,
    change: { readonly disabled?: boolean; readonly limits?: Partial<AccountLimits> },
    options: Options,
  ): Promise<void>
  /** Disables an account and notes it, so that the service erases everything of it. */
  deleteAccount(account: Pick<Account, 'id' | 'name'>, options: Options): Promise<void>
  /** Takes an account's second factor away; false when it has none. */
  resetSecondFactor(accountId: string, options: Options): Promise<boolean>
  listTokens(accountId: string, options: Options): Promise<readonly AccessToken[]>
  createToken(input: NewToken, options: Options): Promise<{ readonly text: string; readonly token: AccessToken }>
  /** Changes those limits of a token that are given. */
  limitToken(target: { readonly id: string; readonly accountId: string }, limits: Partial<UseLimits>, options: Options): Promise<void>
  revokeToken(target: { readonly id: string; readonly accountId: string }, options: Options): Promise<void>
  accountLog(accountId: string, options: Options): Promise<AccountLog>
  /** Keeps the bodies of an account's requests from now on; `forMs: null` = until it is switched off. */
  switchLogOn(accountId: string, wish: { readonly keepMs: number; readonly forMs: number | null }, options: Options): Promise<void>
  switchLogOff(accountId: string, options: Options): Promise<void>
  deleteBodies(accountId: string, options: Options): Promise<void>
  readBodies(accountId: string, requestId: string, options: Options): Promise<readonly KeptBody[]>
}

/** The request log of an account. */
export interface AccountLog {
  /** null = off. */
  readonly on: BodyLogSwitch | null
  readonly bodies: number
  readonly bytes: number
}

/** A body of the request log, or why it cannot be read. */
export type KeptBody = LoggedBody | { readonly part: BodyPart; readonly at: number; readonly unreadable: 'key' | 'damaged' }

export interface NewToken {
  /** null = the first account, which is made when there is none. */
  readonly accountId: string | null
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null = never expires. */
  readonly lifetimeMs: number | null
}

/** One thing the doctor looked at. */
export interface Finding {
  readonly subject: string
  readonly healthy: boolean
  /** Whether something on another machine did not answer, which is no fault of this one; absent = all that was asked did. */
  readonly away?: boolean
  /** What was found, and what to do about it. */
  readonly message: string
}
