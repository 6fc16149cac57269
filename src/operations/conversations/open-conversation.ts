import type { ListedConversation, Turn } from '../../core/chat/conversation.ts'
import {
  type ConversationDependencies,
  type ConversationTarget,
  conversationNotFound,
  type Options,
  readHead,
  readTurn,
  removedLabel,
} from './conversation-documents.ts'

/** Messages of one conversation, all versions together. */
export const mostTurns = 5000

/** A conversation with every message and all their versions, in the order in which they were begun. @throws {ServiceError} `not_found`. */
export async function openConversation(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  { accountId, id }: ConversationTarget,
  options: Options,
): Promise<ListedConversation & { readonly turns: readonly Turn[] }> {
  const head = await documents.get({ kind: 'conversation', id, accountId }, options)
  if (head === null || head.label === removedLabel) throw conversationNotFound()
  const turns = await documents.list({ kind: 'turn', accountId, label: id, order: 'oldest', after: null, limit: mostTurns }, options)
  return { ...readHead(head), turns: turns.map(readTurn) }
}
