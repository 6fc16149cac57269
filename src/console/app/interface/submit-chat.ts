import type { ChatBody } from '../../../http/wire/chat/chat-request.ts'
import { send } from './request.ts'

/** The conversation and message that an answer belongs to; they also identify its request when it is repeated. */
export interface SubmittedPlace {
  readonly conversation: string
  readonly turn: string
  readonly parent: string | null
  readonly key: string
}

/**
 * Submits a chat, which is answered even if this page is closed.
 *
 * @returns its id, and whether the service itself stores the answer in the conversation.
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
