import type { ChatBody } from '../../../http/wire/chat/chat-request.ts'
import { send } from './request.ts'

/** Where an answer belongs, and by which the service knows its request again. */
export interface SubmittedPlace {
  readonly conversation: string
  readonly turn: string
  readonly parent: string | null
  readonly key: string
}

/**
 * Hands a chat in; it is written whether or not this page stays open.
 *
 * @returns its id, and whether the service itself keeps the answer in the conversation.
 */
export async function submitChat(
  body: ChatBody,
  { conversation, turn, parent, key }: SubmittedPlace,
): Promise<{ readonly id: string; readonly isKept: boolean }> {
  const place = [conversation, turn, ...(parent === null ? [] : [parent])].join('/')
  const headers = { 'x-service-async': '1', 'x-service-turn': place, 'idempotency-key': key }
  const response = await send('/v1/chat/completions', { method: 'POST', body, headers })
  const { response_id: id } = (await response.json()) as { readonly response_id: string }
  return { id, isKept: response.headers.get('x-service-turn') === 'kept' }
}
