import Type from 'typebox'
import { scopes } from '../../core/access-token.ts'
import { nativeCompletionAnswerSchema } from '../wire/llama-cpp/completion.ts'
import { nativeCompletionSchema } from '../wire/llama-cpp/completion-request.ts'
import { infillSchema } from '../wire/llama-cpp/infill-request.ts'
import { nativeEmbeddingAnswerSchema, nativeEmbeddingSchema } from '../wire/llama-cpp/native-embedding.ts'
import { propsSchema, slotsSchema } from '../wire/llama-cpp/server-state.ts'
import { templateAnswerSchema, templateSchema } from '../wire/llama-cpp/template-request.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'

const refusals = [400, 404, 413, 415, 429, 503, 504] as const
const about = 'With the format and defaults of llama-server. Also accepts the token as `x-api-key`.'
const events = 'With `stream: true` the answer is a stream of `data:` lines, of which the last has `stop: true`.'

const model: RouteParameter = {
  in: 'query',
  name: 'model',
  description: 'A text model; may be left out where there is only one.',
  schema: text,
}

/** The routes of llama.cpp's server outside OpenAI's surface. */
export function llamaCppRoutes(settings: { readonly widePenalties: boolean }): readonly DocumentedRoute[] {
  const texts = Type.Union([nativeCompletionAnswerSchema, Type.Array(nativeCompletionAnswerSchema)])
  return [
    {
      method: 'post',
      path: '/completion',
      summary: "Continue a text, in llama.cpp's format",
      description: `${about} ${events} Also at /completions; OpenAI's are at /v1/completions.`,
      scopes: ['text'],
      body: nativeCompletionSchema(settings),
      answers: [
        {
          status: 200,
          description: 'The continuation; of several prompts a list.',
          content: { 'application/json': texts, 'text/event-stream': text },
        },
      ],
      refusals,
    },
    {
      method: 'post',
      path: '/infill',
      summary: 'Fill the gap between two texts',
      description: `For models with fill-in-the-middle tokens, such as code models. ${about} ${events}`,
      scopes: ['text'],
      body: infillSchema(settings),
      answers: [
        {
          status: 200,
          description: 'The text for the gap.',
          content: { 'application/json': nativeCompletionAnswerSchema, 'text/event-stream': text },
        },
      ],
      refusals,
    },
    {
      method: 'post',
      path: '/embedding',
      summary: "Embed texts, in llama.cpp's format",
      description: `${about} Also at /embeddings; OpenAI's are at /v1/embeddings.`,
      scopes: ['text'],
      body: nativeEmbeddingSchema,
      answers: [json('One vector of unit length per text.', nativeEmbeddingAnswerSchema)],
      refusals,
    },
    {
      method: 'post',
      path: '/apply-template',
      summary: "Render a conversation with the model's template",
      description: about,
      scopes: ['text'],
      body: templateSchema,
      answers: [json('The text.', templateAnswerSchema)],
      refusals,
    },
    {
      method: 'get',
      path: '/props',
      summary: "Get the properties of a model, in llama.cpp's format",
      scopes,
      parameters: [model],
      answers: [json('What holds.', propsSchema)],
      refusals: [404, 429],
    },
    {
      method: 'post',
      path: '/props',
      summary: 'Rejected: use the settings and model.json',
      scopes,
      answers: [],
      refusals: [429],
    },
    {
      method: 'get',
      path: '/slots',
      summary: 'List the slots of a model',
      description:
        'Slots cannot be saved, restored or erased: POST /slots/… and POST /lora-adapters are rejected; GET /lora-adapters lists none.',
      scopes,
      parameters: [model],
      answers: [json('The places.', slotsSchema)],
      refusals: [404, 429],
    },
  ]
}
