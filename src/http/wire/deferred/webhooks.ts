import Type from 'typebox'
import type { WebhookDelivery } from '../../../core/ports/webhook-log.ts'
import type { Answer } from '../answer.ts'

/** A secret that signs the account's webhooks. */
export const webhookSecretSchema = Type.Object({
  secret: Type.String({ pattern: '^whsec_', description: '`whsec_` and base64, as Standard Webhooks libraries take it.' }),
  current: Type.Boolean({ description: 'False for the previous one, which also signs for a day after a rotation.' }),
})

/** Answer of GET /v1/webhooks/secrets. */
export const webhookSecretListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(webhookSecretSchema) })

/** The state of one delivery. */
const webhookDeliverySchema = Type.Object({
  id: Type.String({ description: 'The header webhook-id of every attempt.' }),
  response_id: Type.String(),
  url: Type.String({ format: 'uri' }),
  state: Type.Enum(['waiting', 'delivered', 'given-up']),
  attempts: Type.Integer({ minimum: 0 }),
  last_result: Type.Union([Type.String(), Type.Null()], { description: 'HTTP status of the last attempt, or why it got none.' }),
  next_attempt_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'When waiting; ISO 8601.' }),
})

/** Answer of GET /v1/webhooks/deliveries. */
export const webhookDeliveryListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(webhookDeliverySchema) })

/** A delivery in answers. Times are ISO 8601 in UTC; a finished delivery has no next attempt. */
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

/** A signing secret in answers. The first of the list, with `index` 0, is the current one. */
export function encodeWebhookSecret(secret: string, index: number): Answer<typeof webhookSecretSchema> {
  return { secret, current: index === 0 }
}
