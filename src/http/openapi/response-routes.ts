import { compactionSchema, compactRequestSchema } from '../wire/responses/compaction.ts'
import { deletedResponseSchema, itemListSchema, responseListSchema, responseSchema } from '../wire/responses/response-answers.ts'
import { responseRequestSchema } from '../wire/responses/response-request.ts'
import { inputTokensSchema } from '../wire/tokens/token-answers.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'
import { pageParameters } from './page-parameters.ts'

const id: RouteParameter = { in: 'path', name: 'id', description: 'The id of a kept response, `resp_…`.', schema: text }
const page = pageParameters('desc')

/** The routes of OpenAI's Responses; GET /v1/responses/<id> stands among those of deferred requests. */
export const responseRoutes: readonly DocumentedRoute[] = [
  {
    method: 'post',
    path: '/v1/responses',
    summary: "Continue a conversation, in the format of OpenAI's Responses",
    description:
      'Kept for 24 hours unless `store` is false. With `stream: true` the answer is a stream of named, numbered events that ends with `response.completed`, `response.incomplete` or `response.failed`. With `background: true` it runs in the background: poll GET /v1/responses/resp_…. Also at /responses.',
    scopes: ['text'],
    body: responseRequestSchema,
    answers: [{ status: 200, description: 'The response.', content: { 'application/json': responseSchema, 'text/event-stream': text } }],
    refusals: [400, 404, 413, 415, 429, 503, 504],
  },
  {
    method: 'post',
    path: '/v1/responses/compact',
    summary: 'Sum a conversation up as one item',
    description:
      'The model writes a summary of at most 2 048 tokens. Send the item that comes back as the first of the next `input`, in place of the conversation.',
    scopes: ['text'],
    body: compactRequestSchema,
    answers: [json('The item.', compactionSchema)],
    refusals: [400, 404, 413, 415, 429, 503, 504],
  },
  {
    method: 'post',
    path: '/v1/responses/input_tokens',
    summary: "Count the tokens of a response's input",
    description:
      'Takes the body of a response and returns only the number of tokens of its input, including the earlier conversation. Without `model`, the first text model counts them.',
    scopes: ['text'],
    body: responseRequestSchema,
    answers: [json('The count.', inputTokensSchema)],
    refusals: [400, 404, 413, 415, 429, 503, 504],
  },
  {
    method: 'get',
    path: '/v1/responses',
    summary: 'List kept responses',
    scopes: ['read', 'text'],
    parameters: page,
    answers: [json('One page.', responseListSchema)],
    refusals: [400, 404, 429],
  },
  {
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    summary: 'List the input of a kept response',
    scopes: ['read', 'text'],
    parameters: [id, ...page],
    answers: [json('One page.', itemListSchema)],
    refusals: [400, 404, 429],
  },
  {
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    summary: 'Cancel a response in the background',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The current response.', responseSchema)],
    refusals: [400, 404, 429],
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: 'Delete a kept response',
    description: 'One that still runs in the background is cancelled.',
    scopes: ['text'],
    parameters: [id],
    answers: [json('It is gone.', deletedResponseSchema)],
    refusals: [404, 429],
  },
]
