import { mostTurnsAtOnce } from '../../../../core/chat/conversation.ts'
import type { ConversationVersions, OpenedConversation, ReadTurns } from '../../../contract/conversations.ts'
import { RequestFailure, request, send } from '../../interface/request.ts'

/** What a page has of a conversation: messages whose version it does not know, it has not read. */
export type KnownConversation = Pick<OpenedConversation, 'version' | 'versions'>

/** A conversation as it is by now, of whose messages only those were read that have changed. */
export interface ConversationChanges extends ConversationVersions {
  readonly turns: OpenedConversation['turns']
  /** Of the messages that the page has by now. */
  readonly known: KnownConversation['versions']
}

/**
 * What has changed in a conversation since it was read; all of it where it never was.
 *
 * @returns null when nothing has, or the service does not have it yet; `gone` when it was deleted.
 */
export async function readChanges(id: string, known: KnownConversation | null): Promise<ConversationChanges | 'gone' | null> {
  const path = `/console/api/conversations/${id}`
  try {
    if (known === null) return await readAll(path)
    const response = await send(`${path}/versions?known=${known.version}`)
    if (response.status === 204) return null
    const now = (await response.json()) as ConversationVersions
    const changed = Object.keys(now.versions).filter((turn) => now.versions[turn] !== known.versions[turn])
    if (changed.length > mostTurnsAtOnce) return await readAll(path)
    const read = changed.length === 0 ? { turns: [], versions: {} } : await request<ReadTurns>(`${path}/turns?ids=${changed}`)
    return { ...now, turns: read.turns, known: { ...known.versions, ...read.versions } }
  } catch (failure) {
    if (!(failure instanceof RequestFailure) || failure.status !== 404) throw failure
    return known === null ? null : 'gone'
  }
}

async function readAll(path: string): Promise<ConversationChanges> {
  const opened = await request<OpenedConversation>(path)
  return { ...opened, known: opened.versions }
}
