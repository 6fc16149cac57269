import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import {
  type ConversationDependencies,
  type ConversationTarget,
  conversationNotFound,
  headDocument,
  keep,
  type Options,
  removedLabel,
  turnDocument,
} from './conversation-documents.ts'

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
  const known = await deps.documents.get({ kind: 'conversation', ...target }, options)
  if (known?.label === removedLabel) throw conversationNotFound()
  await keep(deps, headDocument(target, head, deps.clock.now()), options)
}

/**
 * Keeps one message of a conversation, or what has become of it.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` when the id is another account's.
 */
export async function keepTurn(
  deps: ConversationDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Options,
): Promise<void> {
  await keep(deps, turnDocument(target, turn), options)
}

/** Forgets one message; those that follow it go with the conversation. */
export async function removeTurn(
  { documents }: Pick<ConversationDependencies, 'documents'>,
  { accountId, id, turnId }: ConversationTarget & { readonly turnId: string },
  options: Options,
): Promise<void> {
  await documents.remove({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)
}
