import Type from 'typebox'

/** A secret that signs the account's webhooks. */
export const webhookSecretSchema = Type.Object({
  secret: Type.String({ pattern: '^whsec_', description: '`whsec_` and base64, as Standard Webhooks libraries take it.' }),
  current: Type.Boolean({ description: 'False for the previous one, which also signs for a day after a rotation.' }),
})

/** Answer of GET /v1/webhooks/secrets. */
export const webhookSecretListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(webhookSecretSchema) })

/** How one announcement fared. */
export const webhookDeliverySchema = Type.Object({
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
