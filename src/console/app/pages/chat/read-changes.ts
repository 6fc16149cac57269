import { maxTurnsAtOnce } from '../../../../core/chat/conversation.ts'
import type { ConversationVersions, OpenedConversation, ReadTurns } from '../../../contract/conversations.ts'
import { RequestFailure, request, send } from '../../interface/request.ts'

/** The page's state of a conversation. Messages without a known version have not been read. */
export type KnownConversation = Pick<OpenedConversation, 'version' | 'versions'>

/** The current state of a conversation, with only the messages that have changed. */
export interface ConversationChanges extends ConversationVersions {
  readonly turns: OpenedConversation['turns']
  /** Versions of all messages that the page has now. */
  readonly known: KnownConversation['versions']
}

/**
 * Reads the changes of a conversation since it was last read, or all of it the first time.
 *
 * @returns null when there are none, or the service does not have it yet; `gone` when it was deleted.
 */
export async function readChanges(id: string, known: KnownConversation | null): Promise<ConversationChanges | 'gone' | null> {
  const path = `/console/api/conversations/${id}`
  try {
    if (known === null) return await readAll(path)
    const response = await send(`${path}/versions?known=${known.version}`)
    if (response.status === 204) return null
    const now = (await response.json()) as ConversationVersions
    const changed = Object.keys(now.versions).filter((turn) => now.versions[turn] !== known.versions[turn])
    if (changed.length > maxTurnsAtOnce) return await readAll(path)
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
