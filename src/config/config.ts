import type { NodeRole } from '../core/cluster/node.ts'
import type { GpuSetting } from '../core/compute-device.ts'
import type { ForwardProxies } from '../core/outgoing/forward-proxies.ts'
import type { GroupRole } from './group-roles.ts'
import type { BucketAddress } from './s3-url.ts'

/** Every setting, checked and with its default filled in. Times in milliseconds, sizes in bytes, folders absolute. */
export interface Config {
  readonly listen: {
    readonly host: string
    /** 0 = any free port. */
    readonly port: number
    /** Host names a browser may use for the console, besides the listening address and the public ones. */
    readonly allowedHosts: readonly string[]
    /** Origins whose pages may call the public interface; `*` = all. */
    readonly corsOrigins: readonly string[]
    /** Proxies whose word about their clients' addresses counts: addresses, ranges, or names of ranges. */
    readonly trustedProxies: readonly string[]
    /** null = no limit. */
    readonly connectionsPerAddress: number | null
  }
  readonly addresses: AddressSettings
  readonly dataFolder: string
  /** PostgreSQL's address, or the file that holds it. */
  readonly database:
    | { readonly type: 'embedded' }
    | { readonly type: 'postgres'; readonly url: string | null; readonly urlFile: string | null }
  /** `secretFile` holds the secret key that the address lacks. */
  readonly outputs:
    | { readonly type: 'filesystem' }
    | { readonly type: 's3'; readonly address: BucketAddress; readonly secretFile: string | null }
  readonly cluster: {
    readonly role: NodeRole
    /** The secret, or the file that holds it. */
    readonly secret: string | null
    readonly secretFile: string | null
    /** Where other nodes reach this one; null = at any free port of the listening host. */
    readonly nodeUrl: string | null
    /** The files of a certificate by which nodes know each other; null = they know each other by the secret. */
    readonly authorityFile: string | null
    readonly certificateFile: string | null
    readonly keyFile: string | null
  }
  readonly models: {
    /** Whether the models that come with Sepia are installed. */
    readonly builtIn: boolean
    /** What answers requests that leave their model out or name one that is not installed, by kind. */
    readonly defaults: { readonly text: string | null; readonly image: string | null }
    /** Searched after the built-in models. */
    readonly folders: readonly string[]
    /** Hosts from which models may be pulled over http or from a private network. */
    readonly pullHosts: readonly string[]
    /** Where `hf:` names lead; the token itself, or the file that holds it. */
    readonly hub: { readonly url: string; readonly token: string | null; readonly tokenFile: string | null }
    /** What all loaded models together may use. */
    readonly memoryBytes: number
    /** null = never unload for idleness. */
    readonly idleUnloadMs: number | null
    readonly threads: number
    readonly gpu: GpuSetting
    /** Position in the list of `sepia devices`; null = the backend's first choice. */
    readonly gpuDevice: number | null
    /** Sequences at once per text model. */
    readonly textSlots: number
    /** Interactive requests that may wait per text model. */
    readonly textQueue: number
    /** Interactive requests that may wait per image model. */
    readonly imageQueue: number
  }
  readonly requests: {
    /** Lower-case header names that ask for asynchronous mode, besides `x-service-async`. */
    readonly asyncHeaders: readonly string[]
    /** Body limit of synchronous requests. */
    readonly bodyLimitBytes: number
    /** Bytes of all bodies at once. */
    readonly bodyMemoryBytes: number
    /** Per account; null = unlimited. */
    readonly perMinute: number | null
    /** Of one request, over all its pictures. */
    readonly imagePixels: number
    readonly waitLimitMs: number
    /** One run on a model, interactive or deferred. */
    readonly runLimitMs: number
    /** How long a stop waits for requests in progress. */
    readonly graceMs: number
    /** Whether penalties may be −2 to 2 instead of 0 to 1. */
    readonly widePenalties: boolean
  }
  /** What one account may take of what all share. */
  readonly accounts: {
    /** Part of every queue, over 0 and up to 1. */
    readonly share: number
    /** Access tokens that can be used at once. */
    readonly tokens: number
    /** Bodies and outputs of asynchronous requests. */
    readonly storageBytes: number
    /** Of everything that it keeps besides requests. */
    readonly documentBytes: number
    /** Bodies of the requests of accounts for which an owner wishes that. */
    readonly requestLog: {
      /** null = a file of the data folder, which the service makes itself. */
      readonly keysFile: string | null
      readonly mostKeepMs: number
      /** Of one account. */
      readonly mostBytes: number
    }
    /** What its uploaded files of weights may take. */
    readonly assetBytes: number
    /** Held open at once. */
    readonly places: { readonly streams: number; readonly polls: number; readonly events: number }
  }
  /** How people get into the console. */
  readonly signIn: {
    readonly sessionMs: number
    /** Whether passwords are taken. */
    readonly local: boolean
    /** Who has to show a second factor beside a password. */
    readonly secondFactor: 'optional' | 'owners' | 'everybody'
    /** The provider that people may sign in with; null = none. */
    readonly openId: OpenIdConfig | null
  }
  readonly deferred: {
    /** Pending inferences at most. */
    readonly queue: number
    readonly waitLimitMs: number
    readonly leaseMs: number
    readonly privateWebhooks: boolean
  }
  readonly log: { readonly format: LogFormat; readonly level: LogLevel }
  /** Who collects traces and metrics; null = nobody. */
  readonly otlp: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly intervalMs: number } | null
  /** What the connections that the operator names go through. */
  readonly proxies: ForwardProxies
}

/** An OpenID Connect provider, and whom of its people to let in. */
export interface OpenIdConfig {
  readonly issuer: string
  /** null = it was not set. */
  readonly clientId: string | null
  /** null = a public client. */
  readonly clientSecretFile: string | null
  readonly scopes: string
  readonly label: string
  readonly createAccounts: boolean
  /** In lower case; none = any. */
  readonly emailDomains: readonly string[]
  readonly groupsClaim: string
  /** None = roles are given in the console. */
  readonly roles: readonly GroupRole[]
}

/** Origins of the links we print; null = derived, see `resolveAddresses`. */
export interface AddressSettings {
  readonly publicUrl: string | null
  readonly imageUrl: string | null
  readonly asyncUrl: string | null
  readonly textUrl: string | null
}

/** Lines for people, or one JSON object each. */
export const logFormats = ['pretty', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** How much is logged, most first. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
