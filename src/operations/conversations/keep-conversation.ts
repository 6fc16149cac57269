import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import type { Document } from '../../core/document.ts'
import {
  type ConversationDependencies,
  type ConversationTarget,
  conversationNotFound,
  headDocument,
  keep,
  type Options,
  turnDocument,
} from './conversation-documents.ts'
import { removeConversation } from './remove-conversation.ts'
import { wasRemoved } from './removed-conversations.ts'

/**
 * Keeps what a conversation is called and where it was left; the first time begins it.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` when it was removed or the id is another account's.
 */
export async function keepConversation(
  deps: ConversationDependencies,
  { head, ...target }: ConversationTarget & { readonly head: ConversationHead },
  options: Options,
): Promise<void> {
  await keepUnlessRemoved(deps, target, headDocument(target, head, deps.clock.now()), options)
}

/**
 * Keeps one message of a conversation, or what has become of it.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` when the conversation was removed or the id is another account's.
 */
export async function keepTurn(
  deps: ConversationDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Options,
): Promise<void> {
  await keepUnlessRemoved(deps, target, turnDocument(target, turn), options)
}

async function keepUnlessRemoved(
  deps: ConversationDependencies,
  target: ConversationTarget,
  document: Document,
  options: Options,
): Promise<void> {
  if (await wasRemoved(deps, target, options)) throw conversationNotFound()
  await keep(deps, document, options)
  if (!(await wasRemoved(deps, target, options))) return
  // It was removed between the two: what was just written goes with it.
  await removeConversation(deps, target, options)
  throw conversationNotFound()
}

/** Forgets one message; those that follow it go with the conversation. */
export async function removeTurn(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  { accountId, id, turnId }: ConversationTarget & { readonly turnId: string },
  options: Options,
): Promise<void> {
  await documents.remove({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)
}
