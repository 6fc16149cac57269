import type { ListedConversation, Turn } from '../../core/chat/conversation.ts'
import {
  type ConversationDependencies,
  type ConversationTarget,
  conversationNotFound,
  keptAtOf,
  type Options,
  readHead,
  readTurn,
  removedLabel,
} from './conversation-documents.ts'

/** Messages of one conversation, all versions together. */
export const mostTurns = 5000

/** How far the clocks of nodes may be apart, in milliseconds. */
const clockSkewMs = 10_000

/** What a page has of a conversation. */
export interface KnownConversation {
  readonly version: number
  /** When it was read, as the answer said, in Unix milliseconds. */
  readonly readAt: number
}

/** A conversation and what has changed in it, or all of it. */
export interface ReadConversation extends ListedConversation, KnownConversation {
  /** In the order in which they were begun. */
  readonly turns: readonly Turn[]
  /** Of every message and all its versions. */
  readonly turnIds: readonly string[]
}

/**
 * A conversation with every message and all their versions.
 *
 * @param known Leaves out the messages that have not changed since; absent = none is left out.
 * @returns null when nothing has changed.
 * @throws {ServiceError} `not_found`.
 */
export async function openConversation(
  { documents, clock }: Pick<ConversationDependencies, 'documents' | 'clock'>,
  { accountId, id, known = null }: ConversationTarget & { readonly known?: KnownConversation | null },
  options: Options,
): Promise<ReadConversation | null> {
  const readAt = clock.now()
  // Before the messages: what changes meanwhile is seen the next time.
  const head = await documents.get({ kind: 'conversation', id, accountId }, options)
  if (head === null || head.label === removedLabel) throw conversationNotFound()
  if (head.version === known?.version) return null
  const turns = await documents.list({ kind: 'turn', accountId, label: id, order: 'oldest', after: null, limit: mostTurns }, options)
  const read = turns.map((document) => ({ turn: readTurn(document), keptAt: keptAtOf(document) }))
  const since = known === null ? 0 : known.readAt - clockSkewMs
  return {
    ...readHead(head),
    version: head.version,
    readAt,
    turns: read.flatMap(({ turn, keptAt }) => (keptAt >= since ? [turn] : [])),
    turnIds: read.map(({ turn }) => turn.id),
  }
}
