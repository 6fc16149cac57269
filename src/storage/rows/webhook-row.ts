import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'
import { type Row, readInteger, readOneOf, readText, readTextOrNull } from './row.ts'

/** Newest deliveries that a list shows. */
export const listed = 200

/** A row of `webhook_deliveries`. */
export function readDelivery(row: Row): WebhookDelivery {
  return {
    id: readText(row, 'id'),
    inferenceId: readText(row, 'inference_id'),
    accountId: readText(row, 'account_id'),
    url: readText(row, 'url'),
    attempts: readInteger(row, 'attempts'),
    nextAttemptAt: readInteger(row, 'next_attempt_at'),
    state: readOneOf(row, 'state', ['waiting', 'delivered', 'given-up']),
    lastResult: readTextOrNull(row, 'last_result'),
    traceparent: readTextOrNull(row, 'traceparent'),
  }
}
