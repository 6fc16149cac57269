import type { JsonObject } from '../../../../core/json-value.ts'
import type { Answer } from '../../answer.ts'
import type { ChatMessageBody } from '../chat-message-schema.ts'
import type { chatCompletionSchema } from '../text-answers.ts'

/** What is kept of a chat: the answer as it was given, with its notes, and what it answers. */
export interface StoredChat {
  readonly completion: Answer<typeof chatCompletionSchema>
  readonly messages: readonly ChatMessageBody[]
}

/** A chat as its document holds it. */
export function encodeStoredChat(chat: StoredChat): JsonObject {
  return chat as unknown as JsonObject
}

/** Documents of this kind are written by {@link encodeStoredChat} and nowhere else, so that their shape is known. */
export function readStoredChat(value: JsonObject): StoredChat {
  return value as unknown as StoredChat
}

/** The messages that a stored chat answers, each with an id. */
export function encodeStoredMessages({ completion, messages }: StoredChat): readonly (object & { readonly id: string })[] {
  return messages.map(({ content, ...message }, index) => ({
    ...message,
    id: `${completion.id}-${index}`,
    content: typeof content === 'string' ? content : null,
    content_parts: typeof content === 'object' ? content : null,
  }))
}
