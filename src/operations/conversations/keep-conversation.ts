import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import type { Document } from '../../core/document.ts'
import {
  type ConversationDependencies,
  type ConversationTarget,
  conversationNotFound,
  headDocument,
  keep,
  noteChange,
  type Options,
  readHead,
  turnDocument,
} from './conversation-documents.ts'
import { removeConversation } from './remove-conversation.ts'
import { wasRemoved } from './removed-conversations.ts'

/**
 * Keeps what a conversation is called and where it was left; the first time begins it. Its settings, and what no longer counts in it, stay where no settings are given.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` when it was removed or the id is another account's.
 */
export async function keepConversation(
  deps: ConversationDependencies,
  { head, ...target }: ConversationTarget & { readonly head: ConversationHead },
  options: Options,
): Promise<void> {
  const known = head.settings ? null : await deps.documents.get({ kind: 'conversation', ...target }, options)
  const kept = known === null ? head : { ...readHead(known), ...head }
  const { title, pinned, leaf, settings, countsFrom } = kept
  const whole = { title, pinned, leaf, ...(settings && { settings }), ...(countsFrom !== undefined && { countsFrom }) }
  await keepUnlessRemoved(deps, target, headDocument(target, whole, deps.clock.now()), options)
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
  if (turn.state === 'writing' && (await hasTurn(deps, { ...target, turnId: turn.id }, options))) return
  await keepUnlessRemoved(deps, target, turnDocument(target, turn), options)
  await noteChange(deps, target, options)
}

/** A page says that an answer begins; one that the service knows of is further by now. */
async function hasTurn(
  { documents }: ConversationDependencies,
  { accountId, id, turnId }: ConversationTarget & { readonly turnId: string },
  options: Options,
): Promise<boolean> {
  return (await documents.get({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)) !== null
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
  deps: ConversationDependencies,
  { turnId, ...target }: ConversationTarget & { readonly turnId: string },
  options: Options,
): Promise<void> {
  const { accountId, id } = target
  await deps.documents.remove({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)
  await noteChange(deps, target, options)
}
