import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import {
  changeAnswer,
  findAnswer,
  type KeptDependencies,
  type KeptTarget,
  keepAnswer,
  listAnswers,
  removeAnswer,
} from '../../../operations/kept/kept-answers.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { InferenceRoute } from '../../inference-target.ts'
import { readStoredChatQuery } from '../../wire/chat/stored/list-query.ts'
import { encodeStoredChat, encodeStoredMessages, readStoredChat, type StoredChat } from '../../wire/chat/stored/stored-chat.ts'
import { parseStoredChatChange } from '../../wire/chat/stored/stored-chat-answers.ts'
import { encodePage, pageOf, pageQuery, readPageQuery } from '../../wire/page.ts'

const kind = 'chat-completion'

/** Keeps a chat for as long as every output is kept. @throws {ServiceError} `quota_exceeded`. */
export async function keepChat(
  deps: KeptDependencies,
  accountId: string,
  chat: StoredChat,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { id, model } = chat.completion
  await keepAnswer(deps, { kind, accountId, id, label: model, value: encodeStoredChat(chat) }, options)
}

/** Chat completions of `store: true`: listed, read, their messages, their notes changed, deleted. */
export function registerStoredChats(api: FastifyInstance, httpDeps: HttpDependencies, settings: HttpSettings): void {
  const deps = { ...httpDeps, mostDocumentBytes: settings.mostDocumentBytes }

  api.get('/v1/chat/completions', { config: { query: [...pageQuery, 'model', 'metadata[]'] } }, async (incoming, reply) => {
    requireScope(callerOf(incoming), ['read', 'text'])
    const { model, fits, ...query } = readStoredChatQuery(Object(incoming.query))
    const { accountId } = callerOf(incoming)
    const { values, more } = await listAnswers(
      deps,
      { ...query, kind, accountId, ...(model !== null && { label: model }), fits: (value) => fits(readStoredChat(value)) },
      optionsOf(reply),
    )
    return encodePage(
      values.map((value) => readStoredChat(value).completion),
      more,
    )
  })

  api.get('/v1/chat/completions/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    requireScope(callerOf(incoming), ['read', 'text'])
    return (await findChat(deps, incoming, reply)).completion
  })

  api.get(
    '/v1/chat/completions/:id/messages',
    { config: { query: pageQuery } },
    async (incoming: FastifyRequest<InferenceRoute>, reply) => {
      requireScope(callerOf(incoming), ['read', 'text'])
      const query = readPageQuery(Object(incoming.query), 'asc')
      return pageOf(encodeStoredMessages(await findChat(deps, incoming, reply)), query, 'messages')
    },
  )

  api.post('/v1/chat/completions/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    requireScope(callerOf(incoming), ['text'])
    const { metadata = {} } = parseStoredChatChange(synchronousBody(incoming).value)
    const changed = await changeAnswer(
      deps,
      targetOf(incoming),
      (value) => {
        const chat = readStoredChat(value)
        return encodeStoredChat({ ...chat, completion: { ...chat.completion, metadata } })
      },
      optionsOf(reply),
    )
    return readStoredChat(changed).completion
  })

  api.delete('/v1/chat/completions/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    requireScope(callerOf(incoming), ['text'])
    const target = targetOf(incoming)
    await removeAnswer(deps, target, optionsOf(reply))
    return { object: 'chat.completion.deleted', id: target.id, deleted: true }
  })
}

async function findChat(
  deps: Pick<KeptDependencies, 'documents'>,
  incoming: FastifyRequest<InferenceRoute>,
  reply: FastifyReply,
): Promise<StoredChat> {
  return readStoredChat((await findAnswer(deps, targetOf(incoming), optionsOf(reply))).value)
}

/** Which stored chat a path names, and for whom. @throws {ServiceError} `not_found` for texts that can be no id, before any store sees them. */
function targetOf(incoming: FastifyRequest<InferenceRoute>): KeptTarget {
  const { id } = incoming.params
  if (!/^cmpl-[0-9a-f]{32}$/.test(id))
    throw new ServiceError(
      'not_found',
      'This chat completion does not exist; it was not stored, has been deleted or is older than 24 hours.',
    )
  return { kind, accountId: callerOf(incoming).accountId, id }
}

function optionsOf(reply: FastifyReply): { readonly signal: AbortSignal } {
  return { signal: clientSignal(reply) }
}
