import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../../core/error.ts'
import { isRecord, type JsonObject } from '../../../../core/json-value.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { closed } from '../../../faults/object-schema.ts'
import { queryFault, textFaultCodes } from '../../../faults/refuse-faults.ts'
import type { Answer } from '../../answer.ts'
import { metadataField } from '../../metadata-field.ts'
import { type PageQuery, pageSchema, readPageQuery } from '../../page.ts'
import type { ChatMessageBody } from '../chat-message-schema.ts'
import { chatCompletionSchema } from '../text-answers.ts'

/** A stored chat: the answer with its metadata, and the messages of the request. */
export interface StoredChat {
  readonly completion: Answer<typeof chatCompletionSchema>
  readonly messages: readonly ChatMessageBody[]
}

/** Encodes a chat as a stored document. */
export function encodeStoredChat(chat: StoredChat): JsonObject {
  return chat as unknown as JsonObject
}

/** Only {@link encodeStoredChat} writes documents of this kind, so their shape is known. */
export function readStoredChat(value: JsonObject): StoredChat {
  return value as unknown as StoredChat
}

/** The messages of a stored chat, each with an id. */
export function encodeStoredMessages({ completion, messages }: StoredChat): readonly (object & { readonly id: string })[] {
  return messages.map(({ content, ...message }, index) => ({
    ...message,
    id: `${completion.id}-${index}`,
    content: typeof content === 'string' ? content : null,
    content_parts: typeof content === 'object' ? content : null,
  }))
}

/** A query for stored chats. */
interface StoredChatQuery extends PageQuery {
  /** null = of every model. */
  readonly model: string | null
  readonly fits: (chat: StoredChat) => boolean
}

/** Reads `limit`, `after`, `order`, `model` and `metadata[name]=value`. @throws {ServiceError} `invalid_request_error`. */
export function readStoredChatQuery(query: Readonly<Record<string, unknown>>): StoredChatQuery {
  const { model = null } = query
  if (model !== null && typeof model !== 'string') throw queryFault('model', 'must be given once.')
  const notes = Object.entries(query).flatMap(([name, value]) => {
    const [, note] = /^metadata\[(.*)\]$/s.exec(name) ?? []
    if (note === undefined) return []
    if (typeof value !== 'string') throw queryFault(name, 'must be given once.')
    return [[note, value] as const]
  })
  return {
    ...readPageQuery(query, 'asc'),
    model,
    fits: ({ completion: { metadata } }) => notes.every(([name, value]) => metadata?.[name] === value),
  }
}

/** A page of stored chat completions. */
export const storedChatListSchema = pageSchema(chatCompletionSchema)

/** A page of the messages of a stored chat completion. */
export const storedMessageListSchema = pageSchema(
  Type.Object(
    { id: Type.String(), role: Type.String(), content: Type.Union([Type.String(), Type.Null()]) },
    { additionalProperties: true },
  ),
)

/** The answer to DELETE. */
export const deletedChatSchema = Type.Object({
  object: Type.Literal('chat.completion.deleted'),
  id: Type.String(),
  deleted: Type.Literal(true),
})

/** The body of POST /v1/chat/completions/<id>. */
export const storedChatChangeSchema = closed({ metadata: metadataField('Your own notes, which replace the earlier ones; null = none.') })

const checker = createBodyChecker(storedChatChangeSchema)

/** Reads the body of POST /v1/chat/completions/<id>. @throws {ServiceError} naming every fault at once. */
export function parseStoredChatChange(received: unknown): Static<typeof storedChatChangeSchema> {
  const body = checker.parse(received, textFaultCodes)
  // Required, so that a forgotten field does not delete the metadata.
  if (isRecord(received) && !Object.hasOwn(received, 'metadata'))
    throw new ServiceError('invalid_request_error', '`metadata` is required: add an object, or null to remove it.', { param: 'metadata' })
  return body
}
