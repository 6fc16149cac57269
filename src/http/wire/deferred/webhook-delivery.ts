import type { WebhookDelivery } from '../../../core/ports/webhook-log.ts'

/** A delivery as its route shows it. Times are ISO 8601 in UTC; one that is over has no next attempt. */
export function encodeWebhookDelivery({ id, inferenceId, url, state, attempts, lastResult, nextAttemptAt }: WebhookDelivery) {
  return {
    id,
    response_id: inferenceId,
    url,
    state,
    attempts,
    last_result: lastResult,
    next_attempt_at: state === 'waiting' ? new Date(nextAttemptAt).toISOString() : null,
  }
}
