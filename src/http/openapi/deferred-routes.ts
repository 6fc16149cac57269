import Type from 'typebox'
import { scopes } from '../../core/access-token.ts'
import { chatCompletionSchema } from '../wire/chat/text-answers.ts'
import { inferenceListSchema, inferenceSchema } from '../wire/deferred/inference-answers.ts'
import { webhookDeliveryListSchema, webhookSecretListSchema, webhookSecretSchema } from '../wire/deferred/webhook-answers.ts'
import { imageResultSchema } from '../wire/images/image-answers.ts'
import { inferenceId, listParameters, waitParameters } from './deferred-parameters.ts'
import { type DocumentedRoute, json, text } from './documented-route.ts'

const ofItsKind = 'the scope of the original request: `text` for chat completions, `image` for images'

/** The routes about asynchronous requests and their webhooks. */
export const deferredRoutes: readonly DocumentedRoute[] = [
  {
    method: 'get',
    path: '/v1/requests',
    summary: 'List your asynchronous requests, newest first',
    scopes: ['read'],
    parameters: listParameters,
    answers: [json('One page.', inferenceListSchema)],
    refusals: [400, 429],
  },
  {
    method: 'get',
    path: '/v1/requests/{id}',
    summary: 'Poll an asynchronous request',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [inferenceId, ...waitParameters],
    answers: [json('Its state; with Retry-After until it is completed.', inferenceSchema)],
    refusals: [400, 404, 429],
  },
  {
    method: 'get',
    path: '/v1/requests/{id}/events',
    summary: 'Follow an asynchronous request',
    description:
      'Named events: `status` with the poll body, `progress` with step and total, `preview` with image_b64, `text` with what a chat model has written since, as chunks of a stream have it. Ends when it is completed.',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [inferenceId],
    answers: [{ status: 200, description: 'Its events, as server-sent events.', content: { 'text/event-stream': text } }],
    refusals: [404, 429],
  },
  {
    method: 'delete',
    path: '/v1/requests/{id}',
    summary: 'Cancel an asynchronous request',
    description: 'A pending request is cancelled at once, a running one at its next denoising step or token.',
    scopes: ['text', 'image'],
    scopeRule: ofItsKind,
    parameters: [inferenceId],
    answers: [json('Its current state.', inferenceSchema)],
    refusals: [404, 429],
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    summary: 'Fetch the output of an asynchronous request',
    description:
      'The JSON of the synchronous route, for 24 hours; for a failed request, its error with its own status. An id `resp_…` names a kept response: `stream=true` sends it as events, starting after the number `starting_after`; a background response is followed to its end.',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [inferenceId, { in: 'header', name: 'If-None-Match', description: 'An ETag you have.', schema: text }],
    answers: [
      { status: 200, description: 'The output.', content: { 'application/json': Type.Union([imageResultSchema, chatCompletionSchema]) } },
      { status: 304, description: 'It has not changed.' },
    ],
    refusals: [400, 404, 409, 410, 422, 429, 503, 504],
  },
  {
    method: 'get',
    path: '/v1/webhooks/secrets',
    summary: 'List your webhook secrets, newest first',
    description:
      'Verify deliveries with any Standard Webhooks library: hand it the secret, the exact bytes of the body and the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
    scopes: ['text', 'image'],
    answers: [json('The current secret, and for a day after a rotation the one before it.', webhookSecretListSchema)],
    refusals: [429],
  },
  {
    method: 'post',
    path: '/v1/webhooks/secrets/rotate',
    summary: 'Make a new webhook secret',
    description: 'It signs at once; the previous one also signs for a day, older ones no longer. Send no body or an empty object.',
    scopes: ['text', 'image'],
    answers: [json('The new secret.', webhookSecretSchema)],
    refusals: [400, 413, 415, 429, 503],
  },
  {
    method: 'get',
    path: '/v1/webhooks/deliveries',
    summary: 'List your latest webhook deliveries, newest first',
    description:
      'Each has `id`, `response_id`, `url`, `state` (`waiting`, `delivered`, `given-up`), `attempts`, `last_result` and `next_attempt_at`.',
    scopes: ['read'],
    answers: [json('The deliveries.', webhookDeliveryListSchema)],
    refusals: [429],
  },
]
