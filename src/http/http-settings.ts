import type { Config } from '../config/settings.ts'
import type { BodyBudgetSettings } from './limits/body-budget.ts'
import type { BodySettings } from './wire/chat/sampling-fields.ts'

/** Groups of settings that the public interface reads. */
type Groups = Pick<Config, 'listen' | 'models' | 'requests' | 'accounts' | 'deferred'>

/** Settings of the public interface, as plain data. */
export interface HttpSettings extends Groups, BodySettings {
  /** Whether only probes and metrics are served, on a node that computes for others. */
  readonly probesOnly: boolean
  /** Paths of the public addresses that proxies may leave in requests; the first is that of `public-url`. */
  readonly pathPrefixes: readonly string[]
  /** Connections at once in total; null = no limit. */
  readonly connectionsInAll: number | null
  /** Bytes of bodies that may be in memory at once. */
  readonly bodyMemory: BodyBudgetSettings
}

/** Body limit of asynchronous requests: 10 MB, as in the contract. */
export const asyncBodyLimitBytes = 10 * 1024 * 1024

/** Body limit of uploaded files: 200 MB, OpenAI's limit for batches, plus the form's own bytes. */
export const fileLimitBytes = 200 * 1024 * 1024 + 16 * 1024

/** Body limit of routes that run no model. */
export const smallBodyLimitBytes = 16 * 1024
