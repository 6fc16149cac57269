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

type Dependencies = Pick<ConversationDependencies, 'documents'>

/** A conversation without what was said in it. */
export interface ConversationVersions extends ListedConversation {
  /** Version; increases by one with each change of the conversation or its messages. */
  readonly version: number
  /** Of each message, by its id: one more with each change. */
  readonly versions: Readonly<Record<string, number>>
}

/** A conversation with every message and all their versions, in the order in which they were begun. */
export interface ReadConversation extends ConversationVersions {
  readonly turns: readonly Turn[]
}

/** A conversation as a whole. @throws {ServiceError} `not_found`. */
export async function openConversation(
  { documents }: Dependencies,
  target: ConversationTarget,
  options: Options,
): Promise<ReadConversation> {
  // Before the messages: what changes meanwhile is seen the next time.
  const head = await readKeptHead({ documents }, target, options)
  const query = { kind: 'turn', accountId: target.accountId, label: target.id, limit: mostTurns } as const
  const turns = await documents.list({ ...query, order: 'oldest', after: null }, options)
  const read = turns.map((document) => ({ turn: readTurn(document), version: document.version }))
  const versions = Object.fromEntries(read.map(({ turn, version }) => [turn.id, version]))
  return { ...head, versions, turns: read.map(({ turn }) => turn) }
}

/**
 * What there is in a conversation, without the messages themselves.
 *
 * @param known The version of the conversation that a page has.
 * @returns null when nothing has changed since that.
 * @throws {ServiceError} `not_found`.
 */
export async function readVersions(
  { documents }: Dependencies,
  { known, ...target }: ConversationTarget & { readonly known: number },
  options: Options,
): Promise<ConversationVersions | null> {
  const head = await readKeptHead({ documents }, target, options)
  if (head.version === known) return null
  const { accountId, id } = target
  const versions = await documents.versions({ kind: 'turn', accountId, label: id, limit: mostTurns }, options)
  return { ...head, versions: Object.fromEntries([...versions].map(([turn, version]) => [turn.slice(id.length + 1), version])) }
}

/** Some messages of a conversation with their versions; those that are gone are left out. @throws {ServiceError} `not_found`. */
export async function readTurns(
  { documents }: Dependencies,
  { turnIds, ...target }: ConversationTarget & { readonly turnIds: readonly string[] },
  options: Options,
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
  options: Options,
): Promise<Omit<ConversationVersions, 'versions'>> {
  const head = await documents.get({ kind: 'conversation', id, accountId }, options)
  if (head === null || head.label === removedLabel) throw conversationNotFound()
  return { ...readHead(head), version: head.version }
}
