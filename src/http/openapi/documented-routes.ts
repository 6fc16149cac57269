import { scopes } from '../../core/access-token.ts'
import { chatRequestSchema } from '../wire/chat-request.ts'
import { completionRequestSchema } from '../wire/completion-request.ts'
import { embeddingRequestSchema } from '../wire/embedding-request.ts'
import { imageRequestSchema } from '../wire/image-fields.ts'
import { openAiImageSchema } from '../wire/openai-image-request.ts'
import { deferredHeaders, inferenceId, listParameters, previewHeader, waitParameters } from './deferred-parameters.ts'
import { type DocumentedRoute, json, text } from './documented-route.ts'
import { imageResultSchema, openAiImagesSchema } from './image-answers.ts'
import { inferenceListSchema, inferenceSchema, submissionSchema } from './inference-answers.ts'
import { modelListSchema, modelSchema, statusSchema } from './model-answers.ts'
import { chatCompletionSchema, completionSchema, embeddingSchema } from './text-answers.ts'
import { webhookDeliveryListSchema, webhookSecretListSchema, webhookSecretSchema } from './webhook-answers.ts'

const submitted = json('Asynchronous: the request is on stable storage and will reach an end.', submissionSchema, 202)
const bodyRefusals = [413, 415, 429, 503, 504] as const
const events = { 'text/event-stream': text }

/** Every route of the public interface, in the order in which the document shows them. */
export function documentedRoutes(settings: { readonly widePenalties: boolean }): readonly DocumentedRoute[] {
  return [
    {
      method: 'post',
      path: '/generate/sdxl',
      summary: 'Generate images',
      description: 'With `Accept: image/png`, `image/jpeg` or `image/webp` the answer is the first image itself.',
      scopes: ['image'],
      parameters: [...deferredHeaders, previewHeader],
      body: imageRequestSchema,
      answers: [
        {
          status: 200,
          description: 'The images.',
          content: { 'application/json': imageResultSchema, 'image/png': text, 'image/jpeg': text, 'image/webp': text },
        },
        submitted,
      ],
      refusals: [400, 404, 409, 422, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/chat/completions',
      summary: 'Continue a conversation',
      description: 'With `stream: true` the answer is a stream of `data:` lines that ends with `data: [DONE]`.',
      scopes: ['text'],
      parameters: deferredHeaders,
      body: chatRequestSchema(settings),
      answers: [{ status: 200, description: 'The answer.', content: { 'application/json': chatCompletionSchema, ...events } }, submitted],
      refusals: [400, 404, 409, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/completions',
      summary: 'Continue a text',
      scopes: ['text'],
      body: completionRequestSchema(settings),
      answers: [{ status: 200, description: 'The continuation.', content: { 'application/json': completionSchema, ...events } }],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/embeddings',
      summary: 'Embed texts',
      scopes: ['text'],
      body: embeddingRequestSchema,
      answers: [json('One vector of unit length per input.', embeddingSchema)],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/images/generations',
      summary: "Generate images in OpenAI's shape",
      scopes: ['image'],
      body: openAiImageSchema,
      answers: [json('The images.', openAiImagesSchema)],
      refusals: [400, 404, 422, ...bodyRefusals],
    },
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
      parameters: [inferenceId, ...waitParameters],
      answers: [json('How it stands; with Retry-After until it is completed.', inferenceSchema)],
      refusals: [400, 404, 429],
    },
    {
      method: 'get',
      path: '/v1/requests/{id}/events',
      summary: 'Follow an asynchronous request',
      description:
        'Named events: `status` with the poll body, `progress` with step and total, `preview` with image_b64. Ends when it is completed.',
      scopes,
      parameters: [inferenceId],
      answers: [{ status: 200, description: 'Its life as server-sent events.', content: events }],
      refusals: [404, 429],
    },
    {
      method: 'delete',
      path: '/v1/requests/{id}',
      summary: 'Cancel an asynchronous request',
      description: 'A pending request is cancelled at once, a running one at its next denoising step or token.',
      scopes: ['text', 'image'],
      parameters: [inferenceId],
      answers: [json('How it stands now.', inferenceSchema)],
      refusals: [404, 429],
    },
    {
      method: 'get',
      path: '/v1/responses/{id}',
      summary: 'Fetch the output of an asynchronous request',
      description:
        'The JSON that the synchronous route would have answered, for 24 hours; of a failed request its error with its own status.',
      scopes,
      parameters: [inferenceId, { in: 'header', name: 'If-None-Match', description: 'An ETag you have.', schema: text }],
      answers: [
        { status: 200, description: 'The output.', content: { 'application/json': imageResultSchema } },
        { status: 304, description: 'It is what you have.' },
      ],
      refusals: [404, 409, 410, 429],
    },
    {
      method: 'get',
      path: '/v1/webhooks/secrets',
      summary: 'Look up what your webhooks are signed with, newest first',
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
      description: 'It signs at once; the one before it signs along for another day, and older ones no more. Takes no body.',
      scopes: ['text', 'image'],
      answers: [json('The new secret.', webhookSecretSchema)],
      refusals: [429, 503],
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
    {
      method: 'get',
      path: '/v1/models',
      summary: 'List the models',
      scopes,
      answers: [json('Every model that can be named.', modelListSchema)],
      refusals: [429],
    },
    {
      method: 'get',
      path: '/v1/models/{id}',
      summary: 'Look at one model',
      scopes,
      parameters: [{ in: 'path', name: 'id', description: 'Its name; may hold slashes.', schema: text }],
      answers: [json('The model.', modelSchema)],
      refusals: [404, 429],
    },
    {
      method: 'get',
      path: '/metrics',
      summary: "Metrics in Prometheus' text format",
      scopes: ['read'],
      answers: [{ status: 200, description: 'The metrics.', content: { 'text/plain': text } }],
      refusals: [429],
    },
    { method: 'get', path: '/healthz', summary: 'Is the process alive?', scopes: null, answers: [json('It is.', statusSchema)] },
    {
      method: 'get',
      path: '/readyz',
      summary: 'Can it serve?',
      scopes: null,
      answers: [json('It can.', statusSchema)],
      refusals: [503],
    },
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This document',
      scopes: null,
      answers: [{ status: 200, description: 'OpenAPI 3.1.', content: { 'application/json': text } }],
    },
    {
      method: 'get',
      path: '/docs',
      summary: 'This document as a page',
      scopes: null,
      answers: [{ status: 200, description: 'HTML.', content: { 'text/html': text } }],
    },
  ]
}
