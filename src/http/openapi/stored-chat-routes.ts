import {
  deletedChatSchema,
  storedChatChangeSchema,
  storedChatListSchema,
  storedMessageListSchema,
} from '../wire/chat/stored/stored-chat-answers.ts'
import { chatCompletionSchema } from '../wire/chat/text-answers.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'
import { pageParameters } from './page-parameters.ts'

const id: RouteParameter = { in: 'path', name: 'id', description: 'The id of a chat completion of `store: true`.', schema: text }
const page = pageParameters('asc')

/** The routes of stored chat completions. */
export const storedChatRoutes: readonly DocumentedRoute[] = [
  {
    method: 'get',
    path: '/v1/chat/completions',
    summary: 'List stored chat completions',
    scopes: ['read', 'text'],
    parameters: [
      ...page,
      { in: 'query', name: 'model', description: 'Only those of this model.', schema: text },
      { in: 'query', name: 'metadata[…]', description: 'Only those with this metadata, such as `metadata[topic]=cats`.', schema: text },
    ],
    answers: [json('One page.', storedChatListSchema)],
    refusals: [404, 429],
  },
  {
    method: 'get',
    path: '/v1/chat/completions/{id}',
    summary: 'Get a stored chat completion',
    scopes: ['read', 'text'],
    parameters: [id],
    answers: [json('The chat completion.', chatCompletionSchema)],
    refusals: [404, 429],
  },
  {
    method: 'get',
    path: '/v1/chat/completions/{id}/messages',
    summary: 'List the messages of a stored chat completion',
    scopes: ['read', 'text'],
    parameters: [id, ...page],
    answers: [json('One page.', storedMessageListSchema)],
    refusals: [404, 429],
  },
  {
    method: 'post',
    path: '/v1/chat/completions/{id}',
    summary: 'Change the metadata of a stored chat completion',
    scopes: ['text'],
    parameters: [id],
    body: storedChatChangeSchema,
    answers: [json('The chat completion.', chatCompletionSchema)],
    refusals: [404, 413, 415, 429, 503],
  },
  {
    method: 'delete',
    path: '/v1/chat/completions/{id}',
    summary: 'Delete a stored chat completion',
    scopes: ['text'],
    parameters: [id],
    answers: [json('It is gone.', deletedChatSchema)],
    refusals: [404, 429],
  },
]
