import type { ModelAliases } from '../core/find-descriptor.ts'
import type { BodyBudgetSettings } from './limits/body-budget.ts'
import type { BodySettings } from './wire/chat/sampling-fields.ts'

/** Settings of the public interface, as plain data. */
export interface HttpSettings extends BodySettings {
  /** Whether only probes and metrics are served, on a node that computes for others. */
  readonly probesOnly?: boolean
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, ranges, or `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustedProxies: readonly string[]
  /** Origins whose pages may call the public interface; `*` = all. Absent = none. */
  readonly corsOrigins?: readonly string[]
  /** Whether programs on this machine need no token; absent = they need one. */
  readonly openOnLoopback?: boolean
  /** Paths of the public addresses that proxies may leave in requests; the first is that of `public-url`. Absent = none. */
  readonly pathPrefixes?: readonly string[]
  /** Connections at once from one address; null = no limit. */
  readonly connectionsPerAddress: number | null
  /** Connections at once in total; null = no limit. */
  readonly connectionsInAll: number | null
  /** Lower-case names of further headers that request asynchronous mode, besides `x-service-async`. */
  readonly asyncHeaders: readonly string[]
  /** Body limit of synchronous requests; that of asynchronous ones is fixed by the contract. */
  readonly bodyLimitBytes: number
  /** Bytes of bodies that may be in memory at once. */
  readonly bodyMemory: BodyBudgetSettings
  /** Longest run of an interactive request on its model. */
  readonly runLimitMs: number
  /** Requests per minute and account; null = unlimited. */
  readonly requestsPerMinute: number | null
  /** Most open answers of each kind per account. */
  readonly accountPlaces: number
  /** Pixels of one request, over all its pictures. */
  readonly imagePixels: number
  /** Total bytes of an account's documents and files. */
  readonly maxDocumentBytes: number
  /** Default models of requests that name none or one that is not installed, by kind; null = such requests are refused. */
  readonly defaultModels: { readonly text: string | null; readonly image: string | null }
  /** Further names of models. Absent = none. */
  readonly modelAliases?: ModelAliases
  /** Whether webhooks may use plain `http:` addresses, for networks without certificates. */
  readonly privateWebhooks: boolean
}

/** Body limit of asynchronous requests: 10 MB, as in the contract. */
export const asyncBodyLimitBytes = 10 * 1024 * 1024

/** Body limit of uploaded files: 200 MB, OpenAI's limit for batches, plus the form's own bytes. */
export const fileLimitBytes = 200 * 1024 * 1024 + 16 * 1024

/** Body limit of routes that run no model. */
export const smallBodyLimitBytes = 16 * 1024
