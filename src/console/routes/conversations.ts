import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Account } from '../../core/account.ts'
import {
  longestCallId,
  longestCallName,
  longestContent,
  longestFileName,
  longestModelName,
  longestPicture,
  maxCalls,
  maxFiles,
  maxPictures,
  maxTurnsAtOnce,
  picturePattern,
  type Turn,
  turnStates,
} from '../../core/chat/conversation.ts'
import { ServiceError } from '../../core/error.ts'
import { isVisible, onOneLine } from '../../core/text/visible-text.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { keepConversation, keepTurn, removeTurn } from '../../operations/conversations/keep-conversation.ts'
import type { AnswerDependencies } from '../../operations/conversations/kept-answers.ts'
import { type ConversationList, listConversations } from '../../operations/conversations/list-conversations.ts'
import { openConversation, readTurns, readVersions } from '../../operations/conversations/open-conversation.ts'
import { archiveConversation, removeConversation, restoreConversation } from '../../operations/conversations/remove-conversation.ts'
import { chatParameters } from '../chat-parameters-field.ts'
import type {
  ConversationPage,
  ConversationUpdate,
  ConversationVersions,
  OpenedConversation,
  ReadTurns,
  TurnUpdate,
} from '../contract/conversations.ts'
import { checkPageMadeId, pageMadeId, pageMadeIdPattern } from '../page-made-id.ts'
import { type BodyReader, createBodyReader, createQueryReader } from '../read-console-input.ts'
import { personOf } from '../sign-in/signed-in.ts'

const count = Type.Number({ minimum: 0, maximum: 1e12 })

const readQuery = createQueryReader({
  search: Type.Optional(Type.String({ maxLength: 200 })),
  archived: Type.Optional(Type.Literal('true')),
  after: Type.Optional(Type.String({ pattern: `^\\d{1,16}-${pageMadeIdPattern}$` })),
})
const readKnown = createQueryReader({ known: Type.String({ pattern: '^\\d{1,16}$' }) })
const readIds = createQueryReader({
  ids: Type.String({ pattern: `^${pageMadeIdPattern}(,${pageMadeIdPattern}){0,${maxTurnsAtOnce - 1}}$` }),
})
const readHead: BodyReader<ConversationUpdate> = createBodyReader({
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  pinned: Type.Optional(Type.Boolean()),
  leaf: Type.Optional(pageMadeId),
  countsFrom: Type.Optional(pageMadeId),
  settings: Type.Optional(
    Type.Object(
      { model: Type.String({ maxLength: longestModelName }), parameters: chatParameters, preset: Type.Optional(pageMadeId) },
      { additionalProperties: false },
    ),
  ),
})
const readArchived = createBodyReader({ archived: Type.Boolean() })
const readTurn: BodyReader<TurnUpdate> = createBodyReader({
  parent: Type.Optional(pageMadeId),
  role: Type.Enum(['user', 'assistant']),
  content: Type.String({ maxLength: longestContent }),
  files: Type.Array(
    Type.Object(
      { name: Type.String({ maxLength: longestFileName }), text: Type.String({ maxLength: longestContent }) },
      { additionalProperties: false },
    ),
    { maxItems: maxFiles },
  ),
  pictures: Type.Optional(
    Type.Array(
      Type.Object(
        {
          name: Type.String({ maxLength: longestFileName }),
          url: Type.String({ maxLength: longestPicture, pattern: picturePattern }),
        },
        { additionalProperties: false },
      ),
      { maxItems: maxPictures },
    ),
  ),
  state: Type.Enum(turnStates),
  failure: Type.Optional(Type.String({ maxLength: 2000 })),
  failureLanguage: Type.Optional(Type.String({ pattern: '^[a-z]{2}$' })),
  inference: Type.Optional(Type.String({ maxLength: 128 })),
  requestId: Type.Optional(Type.String({ maxLength: 128 })),
  cause: Type.Optional(Type.String({ maxLength: 1000 })),
  model: Type.Optional(Type.String({ maxLength: longestModelName })),
  facts: Type.Optional(
    Type.Object({ promptTokens: count, completionTokens: count, firstTextMs: count, writingMs: count }, { additionalProperties: false }),
  ),
  thoughts: Type.Optional(Type.String({ maxLength: longestContent })),
  calls: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.String({ minLength: 1, maxLength: longestCallId }),
          name: Type.String({ minLength: 1, maxLength: longestCallName }),
          arguments: Type.String({ maxLength: longestContent }),
          result: Type.Optional(Type.String({ maxLength: longestContent })),
        },
        { additionalProperties: false },
      ),
      { maxItems: maxCalls },
    ),
  ),
  schemaFaults: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 })),
  at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

type InConversation = { readonly Params: { readonly id: string } }
type InTurn = { readonly Params: { readonly id: string; readonly turn: string } }

/** /console/api/conversations: the caller's conversations, stored until they are deleted. */
export function registerConversations(own: FastifyInstance, deps: AnswerDependencies): void {
  own.get('/console/api/conversations', async (request, reply): Promise<ConversationPage> => {
    const { search = '', archived, after } = readQuery(request)
    const accountId = personOf(request).id
    const query = { accountId, search: search.trim() || null, archived: archived !== undefined, after: readPlace(after) }
    const { conversations, next } = await listConversations(deps, query, { signal: clientSignal(reply) })
    return { conversations, next: next && `${next.at}-${next.id}` }
  })

  own.get<InConversation>('/console/api/conversations/:id', async (request, reply): Promise<OpenedConversation> => {
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation') }
    const opened = await openConversation(deps, target, { signal: clientSignal(reply) })
    return { ...opened, turns: shownTurns(opened.turns, personOf(request)) }
  })

  own.get<InConversation>('/console/api/conversations/:id/versions', async (request, reply) => {
    const known = Number(readKnown(request).known)
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation'), known }
    const changed: ConversationVersions | null = await readVersions(deps, target, { signal: clientSignal(reply) })
    return changed ?? reply.code(204).send()
  })

  own.get<InConversation>('/console/api/conversations/:id/turns', async (request, reply): Promise<ReadTurns> => {
    const turnIds = readIds(request).ids.split(',')
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation'), turnIds }
    const read = await readTurns(deps, target, { signal: clientSignal(reply) })
    return { ...read, turns: shownTurns(read.turns, personOf(request)) }
  })

  own.put<InConversation>('/console/api/conversations/:id', { config: { largeBody: true } }, async (request, reply) => {
    const { title, ...rest } = readHead(request)
    const change = { ...rest, ...(title !== undefined && { title: readTitle(title) }) }
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation'), change }
    await keepConversation(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.delete<InConversation>('/console/api/conversations/:id', async (request, reply) => {
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation') }
    await removeConversation(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.post<InConversation>('/console/api/conversations/:id/restore', async (request, reply) => {
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation') }
    await restoreConversation(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.put<InConversation>('/console/api/conversations/:id/archived', async (request, reply) => {
    const { archived } = readArchived(request)
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation'), archived }
    await archiveConversation(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.put<InTurn>('/console/api/conversations/:id/turns/:turn', { config: { largeBody: true } }, async (request, reply) => {
    const nothing = { parent: null, failure: null, model: null, facts: null }
    const turn = { ...nothing, ...readTurn(request), id: checkPageMadeId(request.params.turn, 'conversation') }
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'conversation'), turn }
    await keepTurn(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.delete<InTurn>('/console/api/conversations/:id/turns/:turn', async (request, reply) => {
    const target = {
      accountId: personOf(request).id,
      id: checkPageMadeId(request.params.id, 'conversation'),
      turnId: checkPageMadeId(request.params.turn, 'conversation'),
    }
    await removeTurn(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })
}

/** Only owners see causes of failures. */
function shownTurns(turns: readonly Turn[], { role }: Pick<Account, 'role'>): readonly Turn[] {
  return role === 'owner' ? turns : turns.map(({ cause: _, ...shown }) => shown)
}

/** A title without line breaks: users paste whole texts. */
function readTitle(text: string): string {
  const title = onOneLine(text)
  if (isVisible(title)) return title
  throw new ServiceError('validation_error', 'Give the conversation a visible name.', { param: 'title' })
}

/** Parses the cursor of a page. */
function readPlace(after: string | undefined): ConversationList['next'] {
  const [, at, id] = /^(\d+)-(.+)$/.exec(after ?? '') ?? []
  return at === undefined || id === undefined ? null : { at: Number(at), id }
}
