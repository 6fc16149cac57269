import type { Inference } from '../core/inference.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { WebhookDelivery } from '../core/ports/webhook-log.ts'
import { type Abortable, neverAborted } from '../core/waiting.ts'
import { signWebhook, type WebhookPost } from './post-webhook.ts'
import { type DeliveryResult, planDelivery, WebhookPlaces } from './webhook-places.ts'

export interface WebhookDependencies extends Pick<Store, 'webhooks' | 'log' | 'clock'> {
  readonly accounts: Pick<AccountStore, 'find'>
  /** Encodes the webhook's JSON; `at` in Unix milliseconds. */
  readonly encodeWebhook: (inference: Inference, at: number) => string
  readonly post: (post: WebhookPost, options: Abortable) => Promise<DeliveryResult>
  /** Runs an attempt in the trace of the inference and passes the `traceparent` to send; absent = tracing is off. */
  readonly trace?: <Result>(delivery: WebhookDelivery, attempt: (traceparent: string | undefined) => Promise<Result>) => Promise<Result>
  /** 0 to 1. */
  readonly random: () => number
  readonly onAttempt: (delivery: WebhookDelivery, attempt: { readonly state: WebhookDelivery['state']; readonly result: string }) => void
}

/** Delivers due webhooks; a slow receiver does not delay others. */
export class WebhookSender {
  readonly #deps: WebhookDependencies
  readonly #onFault: (error: unknown) => void
  readonly #places: WebhookPlaces
  readonly #underway = new Set<Promise<void>>()

  constructor(deps: WebhookDependencies, onFault: (error: unknown) => void) {
    this.#deps = deps
    this.#places = new WebhookPlaces(deps.clock)
    this.#onFault = onFault
  }

  /** Starts all due deliveries; does not wait for the receivers. */
  async setOff(options: Abortable): Promise<void> {
    const due = await this.#deps.webhooks.due(this.#places.wanted, options)
    for (const delivery of this.#places.take(due)) {
      const arrival = deliver(this.#deps, delivery, options)
        .catch((error: unknown) => {
          if (!options.signal.aborted) this.#onFault(error)
        })
        .finally(() => {
          this.#places.leave(delivery)
          this.#underway.delete(arrival)
        })
      this.#underway.add(arrival)
    }
  }

  /** Resolves when no delivery is in progress. */
  async returned(): Promise<void> {
    await Promise.all(this.#underway)
  }
}

async function deliver(deps: WebhookDependencies, delivery: WebhookDelivery, options: Abortable): Promise<void> {
  const { webhooks, log, accounts, clock } = deps
  const inference = await log.find(delivery.inferenceId, delivery.accountId, options)
  const { trace = (_delivery, attempt) => attempt(delivery.traceparent ?? undefined) } = deps
  const account = await accounts.find(delivery.accountId, options)
  const isDisabled = account !== null && account.disabledAt !== null
  const result =
    inference === null || isDisabled
      ? { reason: isDisabled ? 'account disabled' : 'record deleted' }
      : await trace(delivery, (traceparent) => announce(deps, { delivery, inference, traceparent }, options))
  const attempt = planDelivery({ attempts: delivery.attempts, result, now: clock.now(), random: deps.random() })
  await webhooks.record(delivery.id, attempt, neverAborted)
  deps.onAttempt(delivery, attempt)
}

async function announce(
  { webhooks, clock, encodeWebhook, post }: WebhookDependencies,
  {
    delivery,
    inference,
    traceparent,
  }: { readonly delivery: WebhookDelivery; readonly inference: Inference; readonly traceparent: string | undefined },
  options: Abortable,
): Promise<DeliveryResult> {
  const now = clock.now()
  const body = encodeWebhook(inference, inference.completedAt ?? now)
  const signature = signWebhook(
    { id: delivery.id, timestamp: Math.floor(now / 1000), body },
    await webhooks.secrets(delivery.accountId, options),
  )
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'sepia',
    ...(traceparent !== undefined && { traceparent }),
    ...signature,
  }
  return post({ url: delivery.url, body, headers }, options)
}
