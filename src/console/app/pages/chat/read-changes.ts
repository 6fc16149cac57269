import type { OpenedConversation } from '../../../contract/conversations.ts'
import { RequestFailure, send } from '../../interface/request.ts'

/** What a page has of a conversation. */
export type KnownConversation = Pick<OpenedConversation, 'version' | 'readAt' | 'turnIds'>

/**
 * What has changed in a conversation since it was read; all of it where it never was.
 *
 * @returns null when nothing has, or the service does not have it yet; `gone` when it was deleted.
 */
export async function readChanges(id: string, known: KnownConversation | null): Promise<OpenedConversation | 'gone' | null> {
  const query = known === null ? '' : `?version=${known.version}&readAt=${known.readAt}`
  try {
    const response = await send(`/console/api/conversations/${id}${query}`)
    return response.status === 204 ? null : ((await response.json()) as OpenedConversation)
  } catch (failure) {
    if (!(failure instanceof RequestFailure) || failure.status !== 404) throw failure
    return known === null ? null : 'gone'
  }
}
