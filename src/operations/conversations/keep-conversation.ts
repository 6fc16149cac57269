import type { ConversationHead, Turn } from '../../core/chat/conversation.ts'
import { defined } from '../../core/defined.ts'
import type { Document } from '../../core/document.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import {
  type ConversationTarget,
  conversationNotFound,
  headDocument,
  keep,
  noteChange,
  readHead,
  turnDocument,
} from './conversation-documents.ts'
import { removeConversation, wasRemoved } from './remove-conversation.ts'

/**
 * Stores the title and position of a conversation, creating it if needed. Settings and the start of the context stay if no settings are
 * given.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if it was removed or the id belongs to another account.
 */
export async function keepConversation(
  deps: DocumentDependencies,
  { head, ...target }: ConversationTarget & { readonly head: ConversationHead },
  options: Abortable,
): Promise<void> {
  const known = head.settings ? null : await deps.documents.get({ kind: 'conversation', ...target }, options)
  const kept = known === null ? head : { ...readHead(known), ...head }
  const { title, pinned, leaf, settings, countsFrom } = kept
  const whole = { title, pinned, leaf, ...defined({ settings, countsFrom }) }
  await keepUnlessRemoved(deps, target, headDocument(target, whole, deps.clock.now()), options)
}

/**
 * Stores one message of a conversation, new or changed.
 *
 * @throws {ServiceError} `quota_exceeded`, `not_found` if the conversation was removed or the id belongs to another account.
 */
export async function keepTurn(
  deps: DocumentDependencies,
  { turn, ...target }: ConversationTarget & { readonly turn: Turn },
  options: Abortable,
): Promise<void> {
  if (turn.state === 'writing' && (await hasTurn(deps, { ...target, turnId: turn.id }, options))) return
  await keepUnlessRemoved(deps, target, turnDocument(target, turn), options)
  await noteChange(deps, target, options)
}

/** A page may report that an answer begins although the service has already stored more of it. */
async function hasTurn(
  { documents }: DocumentDependencies,
  { accountId, id, turnId }: ConversationTarget & { readonly turnId: string },
  options: Abortable,
): Promise<boolean> {
  return (await documents.get({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)) !== null
}

async function keepUnlessRemoved(
  deps: DocumentDependencies,
  target: ConversationTarget,
  document: Document,
  options: Abortable,
): Promise<void> {
  if (await wasRemoved(deps, target, options)) throw conversationNotFound()
  await keep(deps, document, options)
  if (!(await wasRemoved(deps, target, options))) return
  // The conversation was removed between the two writes, so remove the new message too.
  await removeConversation(deps, target, options)
  throw conversationNotFound()
}

/** Deletes one message; the messages after it are deleted with the conversation. */
export async function removeTurn(
  deps: DocumentDependencies,
  { turnId, ...target }: ConversationTarget & { readonly turnId: string },
  options: Abortable,
): Promise<void> {
  const { accountId, id } = target
  await deps.documents.remove({ kind: 'turn', id: `${id}/${turnId}`, accountId }, options)
  await noteChange(deps, target, options)
}
