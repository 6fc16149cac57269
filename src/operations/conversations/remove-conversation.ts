import { type Document, plainDocument, type StoredDocument } from '../../core/document.ts'
import type { DocumentKey } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import {
  archivedLabel,
  type ConversationTarget,
  changeDocument,
  changeHead,
  conversationNotFound,
  headDocument,
  readHead,
  readTurn,
  removedLabel,
  turnDocument,
} from './conversation-documents.ts'
import { maxTurns } from './open-conversation.ts'

/** Time for restoring a removed conversation, in milliseconds. */
const undoMs = 10 * 60_000

/**
 * Removes a conversation. For ten minutes its user can restore it; late changes from other pages cannot. @throws {ServiceError}
 * `not_found`.
 */
export async function removeConversation(deps: DocumentDependencies, target: ConversationTarget, options: Abortable): Promise<void> {
  if ((await deps.documents.get({ kind: 'conversation', ...target }, options)) === null) throw conversationNotFound()
  // First, so that concurrent writes are refused from now on.
  await noteRemoved(deps, target, options)
  const gone = { expiresAt: deps.clock.now() + undoMs }
  await rewrite(deps, target, { head: { ...gone, label: removedLabel }, turns: gone }, options)
}

/** Restores a recently removed conversation. @throws {ServiceError} `not_found` if it was deleted for good. */
export async function restoreConversation(deps: DocumentDependencies, target: ConversationTarget, options: Abortable): Promise<void> {
  await rewrite(deps, target, { head: {}, turns: {} }, options)
  await forgetRemoved(deps, target, options)
}

/** Archives or unarchives a conversation. Searches include archived ones. @throws {ServiceError} `not_found`. */
export async function archiveConversation(
  deps: DocumentDependencies,
  { archived, ...target }: ConversationTarget & { readonly archived: boolean },
  options: Abortable,
): Promise<void> {
  await changeHead(deps, target, options, (known) => {
    if (known === null || known.label === removedLabel) throw conversationNotFound()
    const { id: _, changedAt, ...head } = readHead(known)
    return { ...headDocument(target, head, changedAt), ...(archived && { label: archivedLabel }) }
  })
}

async function rewrite(
  deps: DocumentDependencies,
  target: ConversationTarget,
  changes: { readonly head: Partial<Document>; readonly turns: Partial<Document> },
  options: Abortable,
): Promise<void> {
  const { accountId, id } = target
  // Messages first, since they are found through the head.
  const turns = await deps.documents.list({ kind: 'turn', accountId, label: id, order: 'oldest', after: null, limit: maxTurns }, options)
  const rewritten = (known: StoredDocument | null) => known && { ...turnDocument(target, readTurn(known)), ...changes.turns }
  await Promise.all(turns.map((turn) => changeDocument(deps, { kind: 'turn', id: turn.id, accountId }, options, rewritten)))
  await changeHead(deps, target, options, (head) => {
    if (head === null) throw conversationNotFound()
    const { id: _, changedAt, ...kept } = readHead(head)
    return { ...headDocument(target, kept, changedAt), ...changes.head }
  })
}

/** Time for which a removal is remembered, in milliseconds: browsers that were offline send late changes. */
const rememberedMs = 90 * 86_400_000

/** Remembers that a conversation was removed, but none of its content. */
async function noteRemoved(
  { documents, clock }: Pick<DocumentDependencies, 'documents' | 'clock'>,
  target: ConversationTarget,
  { signal }: Abortable,
): Promise<void> {
  const at = clock.now()
  const note = { ...plainDocument, ...noteOf(target), accountId: target.accountId, value: {}, at }
  // Removing must work even for an account that is out of space.
  const result = await documents.put({ ...note, expiresAt: at + rememberedMs }, { signal, most: Number.MAX_SAFE_INTEGER })
  if (result !== 'stored') throw conversationNotFound()
}

/** Forgets the removal after the conversation was restored. */
async function forgetRemoved(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  target: ConversationTarget,
  options: Abortable,
): Promise<void> {
  await documents.remove(noteOf(target), options)
}

/** Whether a conversation was removed, so that only its user may restore it. */
async function wasRemoved(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  target: ConversationTarget,
  options: Abortable,
): Promise<boolean> {
  return (await documents.get(noteOf(target), options)) !== null
}

/**
 * Makes a change unless the conversation was removed; if it is removed meanwhile, the change is removed too.
 *
 * @returns false if it was removed.
 */
export async function unlessRemoved(
  deps: DocumentDependencies,
  target: ConversationTarget,
  options: Abortable,
  write: () => Promise<unknown>,
): Promise<boolean> {
  if (await wasRemoved(deps, target, options)) return false
  await write()
  if (!(await wasRemoved(deps, target, options))) return true
  await removeConversation(deps, target, options)
  return false
}

function noteOf({ accountId, id }: ConversationTarget): DocumentKey & { readonly kind: 'conversation' } {
  return { kind: 'conversation', id: `${id}/removed`, accountId }
}
