import type { Abortable } from '../waiting.ts'

/** A webhook delivery; times in Unix milliseconds. */
export interface WebhookDelivery {
  readonly id: string
  readonly inferenceId: string
  readonly accountId: string
  readonly url: string
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly state: 'waiting' | 'delivered' | 'given-up'
  /** HTTP status or short failure reason of the last attempt. */
  readonly lastResult: string | null
  /** Trace of the inference's request, as W3C `traceparent`; null = none. */
  readonly traceparent: string | null
}

/** Webhook deliveries, created in the transaction that completes their inference, and each account's signing secrets. */
export interface WebhookLog {
  /** Due deliveries, longest due first, at most `limit` and at most `perAccount` of one account. */
  due(query: { readonly limit: number; readonly perAccount: number }, options: Abortable): Promise<readonly WebhookDelivery[]>
  /** Records the result of an attempt; no effect if the delivery is no longer pending. */
  record(
    id: string,
    attempt: { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string },
    options: Abortable,
  ): Promise<void>
  /** The account's latest deliveries, newest first. */
  list(accountId: string, options: Abortable): Promise<readonly WebhookDelivery[]>
  /** Current secrets, newest first (two during rotation); creates the first if there is none. Each is `whsec_` + base64. */
  secrets(accountId: string, options: Abortable): Promise<readonly string[]>
  /** Creates and returns a new signing secret; the previous one stays valid for a day. */
  rotateSecret(accountId: string, options: Abortable): Promise<string>
}
