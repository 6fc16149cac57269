import type { ModelAliases } from '../core/find-descriptor.ts'
import type { BodyBudgetSettings } from './limits/body-budget.ts'
import type { BodySettings } from './wire/chat/sampling-fields.ts'

/** How the public interface behaves, as plain data. */
export interface HttpSettings extends BodySettings {
  /** Whether there are only probes and metrics: the node computes for others. */
  readonly probesOnly?: boolean
  /** Proxies whose `X-Forwarded-For` is believed: addresses, ranges, or `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustedProxies: readonly string[]
  /** Origins whose pages may call the public interface; `*` = all. Absent = none. */
  readonly corsOrigins?: readonly string[]
  /** Whether programs on this machine need no token; absent = they need one. */
  readonly openOnLoopback?: boolean
  /** Paths of the public addresses, which proxies may leave in front; the first is that of `public-url`. Absent = none. */
  readonly pathPrefixes?: readonly string[]
  /** Connections at once from one address; null = no limit. */
  readonly connectionsPerAddress: number | null
  /** Connections at once in all; null = no limit. */
  readonly connectionsInAll: number | null
  /** Lower-case header names that ask for asynchronous mode, besides `x-service-async`. */
  readonly asyncHeaders: readonly string[]
  /** Body limit of synchronous requests; asynchronous ones have the contract's own. */
  readonly bodyLimitBytes: number
  /** Bytes of bodies that may be in the service at once. */
  readonly bodyMemory: BodyBudgetSettings
  /** Longest run of an interactive request on its model. */
  readonly runLimitMs: number
  /** Requests per minute and account; null = unlimited. */
  readonly requestsPerMinute: number | null
  /** Most of each kind that one account may hold open at once. */
  readonly accountPlaces: number
  /** Pixels of one request, over all its pictures. */
  readonly imagePixels: number
  /** Bytes of an account's documents and files in all. */
  readonly mostDocumentBytes: number
  /** What answers requests that leave their model out or name one that is not installed, by kind; null = they are refused, or as the catalog says. */
  readonly defaultModels: { readonly text: string | null; readonly image: string | null }
  /** Further names of models; absent = only those of their own. */
  readonly modelAliases?: ModelAliases
  /** Whether webhooks may go to plain `http:` addresses, for networks without certificates. */
  readonly privateWebhooks: boolean
}

/** Body limit of asynchronous requests: 10 MB, as the contract says. */
export const asyncBodyLimitBytes = 10 * 1024 * 1024

/** Body limit of uploaded files: 200 MB, as OpenAI takes for batches, and the form around. */
export const fileLimitBytes = 200 * 1024 * 1024 + 16 * 1024

/** Body limit of routes that start no work on a model. */
export const smallBodyLimitBytes = 16 * 1024
