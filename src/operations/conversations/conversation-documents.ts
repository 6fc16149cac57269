import type { ConversationHead, ListedConversation, Turn } from '../../core/chat/conversation.ts'
import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentKey } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type DocumentDependencies, documentsFull } from '../account-documents.ts'

/** A conversation of an account. */
export interface ConversationTarget {
  readonly accountId: string
  readonly id: string
}

/** A message of a conversation. */
export interface TurnTarget extends ConversationTarget {
  readonly turnId: string
}

/** Label of removed conversations that can still be restored. */
export const removedLabel = 'removed'
/** Label of pinned conversations. */
export const pinnedLabel = 'pinned'
/** Label of archived conversations; a new message unarchives one, and changes of its head do not. */
export const archivedLabel = 'archived'
/** Label of all other conversations. */
export const keptLabel = 'kept'

/** The document of a conversation's head; its label is used for filtering lists. */
export function headDocument({ accountId, id }: ConversationTarget, head: ConversationHead, at: number): Document {
  const label = head.pinned ? pinnedLabel : keptLabel
  const { settings, ...rest } = head
  const value = { ...rest, ...(settings && { settings: { ...settings, parameters: { ...settings.parameters } } }) } satisfies JsonValue
  return { kind: 'conversation', id, accountId, value, at, label, text: head.title, attachedBytes: 0, expiresAt: null }
}

/** The document of a message; its label is the conversation's id. */
export function turnDocument({ accountId, id }: ConversationTarget, turn: Turn): Document {
  const { calls, schemaFaults, pictures, ...others } = turn
  const value = {
    ...others,
    files: turn.files.map((file) => ({ ...file })),
    facts: turn.facts && { ...turn.facts },
    ...(pictures && { pictures: pictures.map((picture) => ({ ...picture })) }),
    ...(calls && { calls: calls.map((call) => ({ ...call })) }),
    ...(schemaFaults && { schemaFaults: [...schemaFaults] }),
  } satisfies JsonValue
  const text = turn.content
  return { kind: 'turn', id: `${id}/${turn.id}`, accountId, value, at: turn.at, label: id, text, attachedBytes: 0, expiresAt: null }
}

/** Reads a head for lists. Only this file writes such documents, so their shape is known. */
export function readHead({ id, at, value }: StoredDocument): ListedConversation {
  return { ...(value as unknown as ConversationHead), id, changedAt: at }
}

/** Reads a message. Only this file writes such documents, so their shape is known. */
export function readTurn(document: StoredDocument): Turn {
  // Earlier versions stored the time in the message.
  const { keptAt: _, ...turn } = document.value as unknown as Turn & { readonly keptAt?: number }
  return turn
}

/** Records a changed message as a change of its conversation, so that open pages reload it. */
export async function noteChange(deps: DocumentDependencies, target: ConversationTarget, options: Abortable): Promise<void> {
  await changeHead({ ...deps, maxDocumentBytes: Number.MAX_SAFE_INTEGER }, target, options, (known) => {
    if (known === null || known.label === removedLabel) return null
    const { id: _, changedAt: __, ...head } = readHead(known)
    return headDocument(target, head, deps.clock.now())
  })
}

/** Replaces the head of a conversation by what `change` makes of it, as {@link changeDocument} does. */
export async function changeHead(
  deps: DocumentDependencies,
  { id, accountId }: ConversationTarget,
  options: Abortable,
  change: (known: StoredDocument | null) => Document | null,
): Promise<void> {
  await changeDocument(deps, { kind: 'conversation', id, accountId }, options, change)
}

/** Replaces a message by what `change` makes of it, as {@link changeDocument} does, and records that its conversation has changed. */
export async function changeTurn(
  deps: DocumentDependencies,
  target: TurnTarget,
  options: Abortable,
  change: (known: Turn | null) => Turn | null | Promise<Turn | null>,
): Promise<void> {
  const isChanged = await changeDocument(deps, turnKey(target), options, async (known) => {
    const turn = await change(known === null ? null : readTurn(known))
    return turn === null ? null : turnDocument(target, turn)
  })
  if (isChanged) await noteChange(deps, target, options)
}

/** Finds a message; null = none. */
export async function findTurn(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  target: TurnTarget,
  options: Abortable,
): Promise<Turn | null> {
  const found = await documents.get(turnKey(target), options)
  return found === null ? null : readTurn(found)
}

/** The key of a message's document. */
export function turnKey({ accountId, id, turnId }: TurnTarget): DocumentKey {
  return { kind: 'turn', id: `${id}/${turnId}`, accountId }
}

/**
 * Replaces a document by what `change` makes of it; called again after a concurrent change.
 *
 * @param change Gets null when there is none, and returns null to leave it.
 * @returns whether it was replaced.
 * @throws {ServiceError} `quota_exceeded`, or `not_found` if the id belongs to another account.
 */
export async function changeDocument(
  deps: DocumentDependencies,
  key: DocumentKey,
  options: Abortable,
  change: (known: StoredDocument | null) => Document | null | Promise<Document | null>,
): Promise<boolean> {
  for (let known = await deps.documents.get(key, options); ; ) {
    const changed = await change(known)
    if (changed === null) return false
    if ((await keep(deps, changed, { ...options, version: known?.version ?? null })) === 'stored') return true
    const before = known
    known = await deps.documents.get(key, options)
    if (before === null && known === null) throw conversationNotFound()
  }
}

/**
 * Stores a document.
 *
 * @param options.version Required version of the existing document, otherwise `conflict`; absent = any.
 * @throws {ServiceError} `quota_exceeded`, or `not_found` if the id belongs to another account.
 */
async function keep(
  { documents, maxDocumentBytes: most }: DocumentDependencies,
  document: Document,
  options: Abortable & { readonly version?: number | null },
): Promise<'stored' | 'conflict'> {
  const result = await documents.put(document, { ...options, most })
  if (result === 'conflict' && options.version === undefined) throw conversationNotFound()
  if (result === 'full') throw documentsFull(most, 'delete conversations that are no longer needed')
  return result
}

/** The error for a conversation that does not exist, was deleted for good, or belongs to another account. */
export function conversationNotFound(): ServiceError {
  return new ServiceError('not_found', 'This conversation does not exist; it may have been deleted.')
}
