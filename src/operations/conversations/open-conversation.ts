import type { ListedConversation, Turn } from '../../core/chat/conversation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import { type ConversationTarget, conversationNotFound, readHead, readTurn, removedLabel } from './conversation-documents.ts'

/** Maximum number of messages per conversation, including all versions. */
export const maxTurns = 5000

type Dependencies = Pick<DocumentDependencies, 'documents'>

/** A conversation without its messages. */
export interface ConversationVersions extends ListedConversation {
  /** Version; increases by one with each change of the conversation or its messages. */
  readonly version: number
  /** Version of each message by id; each change adds one. */
  readonly versions: Readonly<Record<string, number>>
}

/** A conversation with all messages in all versions, in order of creation. */
export interface ReadConversation extends ConversationVersions {
  readonly turns: readonly Turn[]
}

/** Reads a whole conversation. @throws {ServiceError} `not_found`. */
export async function openConversation(
  { documents }: Dependencies,
  target: ConversationTarget,
  options: Abortable,
): Promise<ReadConversation> {
  // Read before the messages, so that concurrent changes are noticed next time.
  const head = await readKeptHead({ documents }, target, options)
  const query = { kind: 'turn', accountId: target.accountId, label: target.id, limit: maxTurns } as const
  const turns = await documents.list({ ...query, order: 'oldest', after: null }, options)
  const read = turns.map((document) => ({ turn: readTurn(document), version: document.version }))
  const versions = Object.fromEntries(read.map(({ turn, version }) => [turn.id, version]))
  return { ...head, versions, turns: read.map(({ turn }) => turn) }
}

/**
 * Reads the versions in a conversation without its messages.
 *
 * @param known Version already known to the page.
 * @returns null = nothing has changed since.
 * @throws {ServiceError} `not_found`.
 */
export async function readVersions(
  { documents }: Dependencies,
  { known, ...target }: ConversationTarget & { readonly known: number },
  options: Abortable,
): Promise<ConversationVersions | null> {
  const head = await readKeptHead({ documents }, target, options)
  if (head.version === known) return null
  const { accountId, id } = target
  const versions = await documents.versions({ kind: 'turn', accountId, label: id, limit: maxTurns }, options)
  return { ...head, versions: Object.fromEntries([...versions].map(([turn, version]) => [turn.slice(id.length + 1), version])) }
}

/** Reads some messages with their versions; missing ones are left out. @throws {ServiceError} `not_found`. */
export async function readTurns(
  { documents }: Dependencies,
  { turnIds, ...target }: ConversationTarget & { readonly turnIds: readonly string[] },
  options: Abortable,
): Promise<Pick<ReadConversation, 'turns' | 'versions'>> {
  await readKeptHead({ documents }, target, options)
  const { accountId, id } = target
  const found = await Promise.all(turnIds.map((turn) => documents.get({ kind: 'turn', id: `${id}/${turn}`, accountId }, options)))
  const read = found.flatMap((document) => (document === null ? [] : { turn: readTurn(document), version: document.version }))
  return {
    turns: read.map(({ turn }) => turn),
    versions: Object.fromEntries(read.map(({ turn, version }) => [turn.id, version])),
  }
}

async function readKeptHead(
  { documents }: Dependencies,
  { accountId, id }: ConversationTarget,
  options: Abortable,
): Promise<Omit<ConversationVersions, 'versions'>> {
  const head = await documents.get({ kind: 'conversation', id, accountId }, options)
  if (head === null || head.label === removedLabel) throw conversationNotFound()
  return { ...readHead(head), version: head.version }
}
