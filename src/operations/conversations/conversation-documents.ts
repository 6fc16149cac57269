import type { ConversationHead, ListedConversation, Turn } from '../../core/chat/conversation.ts'
import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import { documentsFull } from '../documents-full.ts'

/** What conversations are kept in, and how much of it an account may use. */
export interface ConversationDependencies {
  readonly documents: DocumentStore
  readonly clock: { now(): number }
  /** Bytes of an account's documents in all. */
  readonly mostDocumentBytes: number
}

export type Options = { readonly signal: AbortSignal }

/** A conversation of an account. */
export interface ConversationTarget {
  readonly accountId: string
  readonly id: string
}

/** The label of heads that a person removed and may still bring back. */
export const removedLabel = 'removed'
/** The label of heads that stand above the others. */
export const pinnedLabel = 'pinned'
/** The label of heads that were put away; what is said in one puts it back. */
export const archivedLabel = 'archived'
/** The label of all other heads. */
export const keptLabel = 'kept'

/** A head as a document; its label is what lists ask for. */
export function headDocument({ accountId, id }: ConversationTarget, head: ConversationHead, at: number): Document {
  const label = head.pinned ? pinnedLabel : keptLabel
  const { settings, ...rest } = head
  const value = { ...rest, ...(settings && { settings: { ...settings, parameters: { ...settings.parameters } } }) } satisfies JsonValue
  return { kind: 'conversation', id, accountId, value, at, label, text: head.title, attachedBytes: 0, expiresAt: null }
}

/** A message as a document; its label is the conversation's id. */
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

/** A head as a list shows it; documents of this kind are written here and nowhere else, so that their shape is known. */
export function readHead({ id, at, value }: StoredDocument): ListedConversation {
  return { ...(value as unknown as ConversationHead), id, changedAt: at }
}

/** A message; written here and nowhere else, so that its shape is known. */
export function readTurn(document: StoredDocument): Turn {
  // Earlier versions noted in it when it was kept.
  const { keptAt: _, ...turn } = document.value as unknown as Turn & { readonly keptAt?: number }
  return turn
}

/** Counts a change of a message as one of its conversation, so that pages that show it look again. */
export async function noteChange(deps: ConversationDependencies, target: ConversationTarget, options: Options): Promise<void> {
  const { accountId, id } = target
  const head = await deps.documents.get({ kind: 'conversation', id, accountId }, options)
  if (head === null || head.label === removedLabel) return
  const { id: _, changedAt: __, ...kept } = readHead(head)
  // Where another change came first, that one is noted.
  const most = Number.MAX_SAFE_INTEGER
  await deps.documents.put(headDocument(target, kept, deps.clock.now()), { ...options, version: head.version, most })
}

/**
 * Keeps a document.
 *
 * @param options.version What it replaces must be of; else `conflict`. Absent = whatever is there.
 * @throws {ServiceError} `quota_exceeded`, or `not_found` where its name is another account's.
 */
export async function keep(
  { documents, mostDocumentBytes: most }: ConversationDependencies,
  document: Document,
  options: Options & { readonly version?: number | null },
): Promise<'stored' | 'conflict'> {
  const result = await documents.put(document, { ...options, most })
  if (result === 'conflict' && options.version === undefined) throw conversationNotFound()
  if (result === 'full') throw documentsFull(most, 'delete conversations that are no longer needed')
  return result
}

/** For one that never was, was removed for good, or is another account's. */
export function conversationNotFound(): ServiceError {
  return new ServiceError('not_found', 'This conversation does not exist; it may have been deleted.')
}
