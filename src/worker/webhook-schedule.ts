import { webhookWaitsMs } from '../core/deferred/webhook-waits.ts'
import type { WebhookDelivery } from '../core/ports/webhook-log.ts'

/** How an attempt to deliver ended: an HTTP status, or a short reason for having got none. */
export type DeliveryResult = { readonly status: number } | { readonly reason: string }

/**
 * What becomes of a delivery after an attempt: any 2xx ends it, 410 and the last attempt give it up.
 *
 * @param attempts Earlier attempts.
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
  const told = 'status' in result ? String(result.status) : result.reason
  const status = 'status' in result ? result.status : 0
  const waitMs = webhookWaitsMs[attempts]
  if (status >= 200 && status < 300) return { state: 'delivered', nextAttemptAt: now, result: told }
  if (status === 410 || waitMs === undefined) return { state: 'given-up', nextAttemptAt: now, result: told }
  return { state: 'waiting', nextAttemptAt: now + Math.round(waitMs * (1 + random / 10)), result: told }
}
