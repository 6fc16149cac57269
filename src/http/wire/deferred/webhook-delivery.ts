import type { WebhookDelivery } from '../../../core/ports/webhook-log.ts'

import type { Answer } from '../answer.ts'
import type { webhookDeliverySchema } from './webhook-answers.ts'

/** A delivery as its route shows it. Times are ISO 8601 in UTC; one that is over has no next attempt. */
export function encodeWebhookDelivery({
  id,
  inferenceId,
  url,
  state,
  attempts,
  lastResult,
  nextAttemptAt,
}: WebhookDelivery): Answer<typeof webhookDeliverySchema> {
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
