import { webhookWaitsMs } from '../core/deferred/webhook-waits.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { WebhookDelivery } from '../core/ports/webhook-log.ts'

/** Maximum number of concurrent deliveries to fast receivers, and to all slow ones together. */
const places = { quick: 64, slow: 32 }
const placesPerAccount = { quick: 4, slow: 1 }
/** Maximum number of connections, including receivers that have just turned out to be slow. */
const maxPlaces = 256

/** Response time from which a receiver, and with it its account, counts as slow until none was for a while. */
const slowMs = 2000
const slowForMs = 10 * 60_000

interface Journey {
  readonly accountId: string
  readonly startedAt: number
}

/**
 * Limits concurrent deliveries. Slow receivers share a separate pool, whatever the number of their accounts, so that they never occupy all
 * places of the fast ones.
 */
export class WebhookPlaces {
  readonly #clock: Clock
  readonly #underway = new Map<string, Journey>()
  readonly #slowUntil = new Map<string, number>()

  /** Number of due deliveries to fetch: the longest due ones may all have slow receivers. */
  readonly wanted = { limit: 4 * maxPlaces, perAccount: placesPerAccount.quick }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Those of the deliveries that get a place, which each keeps until it leaves. */
  take(due: readonly WebhookDelivery[]): readonly WebhookDelivery[] {
    this.#noteSlow()
    const taken = { quick: 0, slow: 0 }
    const ofAccount = new Map<string, number>()
    const count = (accountId: string) => {
      taken[this.#pace(accountId)] += 1
      ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + 1)
    }
    for (const { accountId } of this.#underway.values()) count(accountId)
    return due.filter(({ id, accountId }) => {
      const pace = this.#pace(accountId)
      if (this.#underway.has(id) || this.#underway.size >= maxPlaces || taken[pace] >= places[pace]) return false
      if ((ofAccount.get(accountId) ?? 0) >= placesPerAccount[pace]) return false
      this.#underway.set(id, { accountId, startedAt: this.#clock.now() })
      count(accountId)
      return true
    })
  }

  leave({ id }: WebhookDelivery): void {
    this.#noteSlow()
    this.#underway.delete(id)
  }

  #pace(accountId: string): keyof typeof places {
    return this.#slowUntil.has(accountId) ? 'slow' : 'quick'
  }

  #noteSlow(): void {
    const now = this.#clock.now()
    for (const { accountId, startedAt } of this.#underway.values())
      if (now - startedAt >= slowMs) this.#slowUntil.set(accountId, now + slowForMs)
    for (const [accountId, until] of this.#slowUntil) if (until <= now) this.#slowUntil.delete(accountId)
  }
}

/** Result of an attempt: an HTTP status, or a short reason why there is none. */
export type DeliveryResult = { readonly status: number } | { readonly reason: string }

/**
 * Plans a delivery after an attempt: any 2xx completes it; 410 and the last attempt abandon it.
 *
 * @param attempts Number of earlier attempts.
 * @param random 0 to 1; spreads the next attempt by up to a tenth of the wait.
 */
export function planDelivery({
  attempts,
  result,
  now,
  random,
}: {
  readonly attempts: number
  readonly result: DeliveryResult
  readonly now: number
  readonly random: number
}): { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string } {
  const outcome = 'status' in result ? String(result.status) : result.reason
  const status = 'status' in result ? result.status : 0
  const waitMs = webhookWaitsMs[attempts]
  if (status >= 200 && status < 300) return { state: 'delivered', nextAttemptAt: now, result: outcome }
  if (status === 410 || waitMs === undefined) return { state: 'given-up', nextAttemptAt: now, result: outcome }
  return { state: 'waiting', nextAttemptAt: now + Math.round(waitMs * (1 + random / 10)), result: outcome }
}
