import { messageAnswerSchema, messageCountSchema } from '../wire/messages/message-answers.ts'
import { countRequestSchema, messageRequestSchema } from '../wire/messages/message-request.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'

const refusals = [400, 404, 413, 415, 429, 503, 504] as const
const about = "Also accepts the token as `x-api-key`, and returns errors in Anthropic's format."

const beta: RouteParameter = { in: 'query', name: 'beta', description: "Sent by Anthropic's clients; no effect.", schema: text }

/** Anthropic's routes. */
export const messageRoutes: readonly DocumentedRoute[] = [
  {
    method: 'post',
    path: '/v1/messages',
    summary: "Continue a conversation, in Anthropic's format",
    description: `With \`stream: true\` the answer is a stream of named events that ends with \`message_stop\`. ${about}`,
    scopes: ['text'],
    parameters: [beta],
    body: messageRequestSchema,
    answers: [{ status: 200, description: 'The answer.', content: { 'application/json': messageAnswerSchema, 'text/event-stream': text } }],
    refusals,
  },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    summary: "Count the tokens of a conversation, in Anthropic's format",
    description: about,
    scopes: ['text'],
    parameters: [beta],
    body: countRequestSchema,
    answers: [json('The count.', messageCountSchema)],
    refusals,
  },
]
