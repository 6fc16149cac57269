import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/ports/clock.ts'
import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { listed } from '../rows/webhook-row.ts'
import { currentSecrets, makeWebhookSecret } from '../webhook-secret.ts'
import type { InferenceEntry } from './inference-entry.ts'

type Options = { readonly signal: AbortSignal }

/** Deliveries and secrets that are gone when the process is. */
export class MemoryWebhookLog implements WebhookLog {
  readonly #clock: Clock
  readonly #deliveries = new Map<string, WebhookDelivery>()
  readonly #secrets = new Map<string, readonly { readonly secret: string; readonly createdAt: number }[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called when an inference completes. */
  announce({ inference, webhookUrl, traceparent }: InferenceEntry): void {
    if (webhookUrl === null) return
    const id = `msg_${randomUUID()}`
    this.#deliveries.set(id, {
      id,
      inferenceId: inference.id,
      accountId: inference.accountId,
      url: webhookUrl,
      attempts: 0,
      nextAttemptAt: this.#clock.now(),
      state: 'waiting',
      lastResult: null,
      traceparent,
    })
  }

  async due(
    { limit, perAccount }: { readonly limit: number; readonly perAccount: number },
    { signal }: Options,
  ): Promise<readonly WebhookDelivery[]> {
    signal.throwIfAborted()
    const due = [...this.#deliveries.values()]
      .filter((delivery) => delivery.state === 'waiting' && delivery.nextAttemptAt <= this.#clock.now())
      .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt)
    const accounts = Map.groupBy(due, ({ accountId }) => accountId)
    return due.filter((delivery) => (accounts.get(delivery.accountId) ?? []).indexOf(delivery) < perAccount).slice(0, limit)
  }

  async record(
    id: string,
    { state, nextAttemptAt, result }: { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string },
    { signal }: Options,
  ): Promise<void> {
    signal.throwIfAborted()
    const delivery = this.#deliveries.get(id)
    if (delivery?.state !== 'waiting') return
    this.#deliveries.set(id, { ...delivery, state, nextAttemptAt, lastResult: result, attempts: delivery.attempts + 1 })
  }

  async list(accountId: string, { signal }: Options): Promise<readonly WebhookDelivery[]> {
    signal.throwIfAborted()
    return [...this.#deliveries.values()]
      .filter((delivery) => delivery.accountId === accountId)
      .reverse()
      .slice(0, listed)
  }

  async secrets(accountId: string, options: Options): Promise<readonly string[]> {
    options.signal.throwIfAborted()
    const known = this.#secrets.get(accountId)
    if (known === undefined) return [await this.rotateSecret(accountId, options)]
    return currentSecrets(known, this.#clock.now())
  }

  async rotateSecret(accountId: string, { signal }: Options): Promise<string> {
    signal.throwIfAborted()
    const secret = makeWebhookSecret()
    this.#secrets.set(accountId, [{ secret, createdAt: this.#clock.now() }, ...(this.#secrets.get(accountId) ?? [])].slice(0, 2))
    return secret
  }
}
