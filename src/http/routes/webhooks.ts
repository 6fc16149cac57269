import { receivedBody } from '../body/read-body.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { closed } from '../faults/object-schema.ts'
import { textFaultCodes } from '../faults/refuse-faults.ts'
import type { Route } from '../route.ts'
import {
  encodeWebhookDelivery,
  encodeWebhookSecret,
  webhookDeliveryListSchema,
  webhookSecretListSchema,
  webhookSecretSchema,
} from '../wire/deferred/webhooks.ts'
import { json } from './row-parts.ts'

const nothing = createBodyChecker(closed({}))

/** The account's webhook secrets and latest deliveries. A read-only token cannot create secrets. */
export const webhookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/webhooks/secrets',
    summary: 'List your webhook secrets, newest first',
    description:
      'Verify deliveries with any Standard Webhooks library: pass it the secret, the exact bytes of the body and the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
    scopes: ['text', 'image'],
    answers: [json('The current secret, and for a day after a rotation the previous one.', webhookSecretListSchema)],
    refusals: [429],
    handle:
      ({ webhooks }) =>
      async ({ reply, caller, options }) => {
        const secrets = await webhooks.secrets(caller.accountId, options)
        return reply.header('cache-control', 'no-store').send({ object: 'list', data: secrets.map(encodeWebhookSecret) })
      },
  },
  {
    method: 'POST',
    path: '/v1/webhooks/secrets/rotate',
    summary: 'Create a webhook secret',
    description:
      'It signs immediately. The previous secret also signs for a day; older ones stop signing. Send no body or an empty object.',
    scopes: ['text', 'image'],
    answers: [json('The new secret.', webhookSecretSchema)],
    refusals: [400, 413, 415, 429, 503],
    handle:
      ({ webhooks }) =>
      async ({ incoming, reply, caller, options }) => {
        if (incoming.body !== undefined) nothing.parse(receivedBody(incoming).value, textFaultCodes)
        const secret = await webhooks.rotateSecret(caller.accountId, options)
        return reply.header('cache-control', 'no-store').send(encodeWebhookSecret(secret, 0))
      },
  },
  {
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'List your latest webhook deliveries, newest first',
    description:
      'Each has `id`, `response_id`, `url`, `state` (`waiting`, `delivered`, `given-up`), `attempts`, `last_result` and `next_attempt_at`.',
    scopes: ['read'],
    answers: [json('The deliveries.', webhookDeliveryListSchema)],
    refusals: [429],
    handle:
      ({ webhooks }) =>
      async ({ caller, options }) => {
        const deliveries = await webhooks.list(caller.accountId, options)
        return { object: 'list', data: deliveries.map(encodeWebhookDelivery) }
      },
  },
]
