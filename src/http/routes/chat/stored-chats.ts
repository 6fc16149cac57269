import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { DocumentDependencies } from '../../../operations/account-documents.ts'
import { changeAnswer, findAnswer, type KeptTarget, keepAnswer, listAnswers, removeAnswer } from '../../../operations/kept/kept-answers.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { Call, Route } from '../../route.ts'
import {
  deletedChatSchema,
  encodeStoredChat,
  encodeStoredMessages,
  parseStoredChatChange,
  readStoredChat,
  readStoredChatQuery,
  type StoredChat,
  storedChatChangeSchema,
  storedChatListSchema,
  storedMessageListSchema,
} from '../../wire/chat/stored/stored-chat.ts'
import { chatCompletionSchema } from '../../wire/chat/text-answers.ts'
import { encodePage, pageOf, readPageQuery } from '../../wire/page.ts'
import { inPath, inQuery, json, pageParameters } from '../row-parts.ts'

const kind = 'chat-completion'

/**
 * Stores a chat for as long as any output.
 *
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function keepChat(deps: DocumentDependencies, accountId: string, chat: StoredChat, options: Abortable): Promise<void> {
  const { id, model } = chat.completion
  await keepAnswer(deps, { kind, accountId, id, label: model, value: encodeStoredChat(chat) }, options)
}

const id = inPath('id', 'The id of a chat completion made with `store: true`.')
const page = pageParameters('asc')

/** Stored chat completions: list, get, list messages, change metadata, delete. */
export const storedChatRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/chat/completions',
    origin: 'textUrl',
    summary: 'List stored chat completions',
    scopes: ['read', 'text'],
    parameters: [
      ...page,
      inQuery('model', 'Only those of this model.'),
      inQuery('metadata[…]', 'Only those with this metadata, such as `metadata[topic]=cats`.'),
    ],
    answers: [json('A page of chat completions.', storedChatListSchema)],
    refusals: [404, 429],
    handle:
      (deps) =>
      async ({ caller: { accountId }, query, options }) => {
        const { model, fits, ...requested } = readStoredChatQuery(query)
        const { values, more } = await listAnswers(
          deps,
          { ...requested, kind, accountId, label: model ?? undefined, fits: (value) => fits(readStoredChat(value)) },
          options,
        )
        return encodePage(
          values.map((value) => readStoredChat(value).completion),
          more,
        )
      },
  },
  {
    method: 'GET',
    path: '/v1/chat/completions/{id}',
    origin: 'textUrl',
    summary: 'Get a stored chat completion',
    scopes: ['read', 'text'],
    parameters: [id],
    answers: [json('The chat completion.', chatCompletionSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => (await findChat(deps, call)).completion,
  },
  {
    method: 'GET',
    path: '/v1/chat/completions/{id}/messages',
    origin: 'textUrl',
    summary: 'List the messages of a stored chat completion',
    scopes: ['read', 'text'],
    parameters: [id, ...page],
    answers: [json('A page of messages.', storedMessageListSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => {
      const query = readPageQuery(call.query, 'asc')
      return pageOf(encodeStoredMessages(await findChat(deps, call)), query, 'messages')
    },
  },
  {
    method: 'POST',
    path: '/v1/chat/completions/{id}',
    origin: 'textUrl',
    summary: 'Change the metadata of a stored chat completion',
    scopes: ['text'],
    parameters: [id],
    body: storedChatChangeSchema,
    example: { metadata: { topic: 'geography' } },
    answers: [json('The chat completion.', chatCompletionSchema)],
    refusals: [404, 413, 415, 429, 503],
    handle: (deps) => async (call) => {
      const { metadata = {} } = parseStoredChatChange(synchronousBody(call.incoming).value)
      const change: Parameters<typeof changeAnswer>[2] = (value) => {
        const chat = readStoredChat(value)
        return encodeStoredChat({ ...chat, completion: { ...chat.completion, metadata } })
      }
      return readStoredChat(await changeAnswer(deps, targetOf(call), change, call.options)).completion
    },
  },
  {
    method: 'DELETE',
    path: '/v1/chat/completions/{id}',
    origin: 'textUrl',
    summary: 'Delete a stored chat completion',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The chat completion is deleted.', deletedChatSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => {
      const target = targetOf(call)
      await removeAnswer(deps, target, call.options)
      return { object: 'chat.completion.deleted', id: target.id, deleted: true }
    },
  },
]

async function findChat(deps: Pick<DocumentDependencies, 'documents'>, call: Call): Promise<StoredChat> {
  return readStoredChat((await findAnswer(deps, targetOf(call), call.options)).value)
}

/**
 * The stored chat of a path and its account.
 *
 * @throws {ServiceError} `not_found` for a text that cannot be an id, without a call to the store.
 */
function targetOf({ caller: { accountId }, param }: Call): KeptTarget {
  const name = param('id')
  if (!/^cmpl-[0-9a-f]{32}$/.test(name))
    throw new ServiceError(
      'not_found',
      'This chat completion does not exist; it was not stored, has been deleted or is older than 24 hours.',
    )
  return { kind, accountId, id: name }
}
