/** One announcement to be made; times in Unix milliseconds. */
export interface WebhookDelivery {
  readonly id: string
  readonly inferenceId: string
  readonly accountId: string
  readonly url: string
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly state: 'waiting' | 'delivered' | 'given-up'
  /** HTTP status or a short reason of the last attempt. */
  readonly lastResult: string | null
  /** The trace that the inference was asked for in, as W3C's `traceparent`; null = none. */
  readonly traceparent: string | null
}

/** Webhook deliveries, created in the same transaction that completes their inference, and each account's signing secrets. */
export interface WebhookLog {
  /** What is due now, the longest due first: at most so many, and of one account at most `perAccount`. */
  due(
    query: { readonly limit: number; readonly perAccount: number },
    options: { readonly signal: AbortSignal },
  ): Promise<readonly WebhookDelivery[]>
  /** Notes how an attempt went; does nothing when the delivery waits no more. */
  record(
    id: string,
    attempt: { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string },
    options: { readonly signal: AbortSignal },
  ): Promise<void>
  /** The account's newest deliveries, the last first. */
  list(accountId: string, options: { readonly signal: AbortSignal }): Promise<readonly WebhookDelivery[]>
  /** Current secrets, newest first (two while rotating); makes the first when there is none. Each is `whsec_` + base64. */
  secrets(accountId: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  /** Makes the secret that signs from now on, and returns it; the one before signs along for a day. */
  rotateSecret(accountId: string, options: { readonly signal: AbortSignal }): Promise<string>
}
