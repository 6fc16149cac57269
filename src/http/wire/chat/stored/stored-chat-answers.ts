import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../../core/error.ts'
import { isRecord } from '../../../../core/json-value.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { textFaultCodes } from '../../../faults/refuse-faults.ts'
import { metadataField } from '../../metadata-field.ts'
import { pageSchema } from '../../page.ts'
import { chatCompletionSchema } from '../text-answers.ts'

/** A page of stored chat completions. */
export const storedChatListSchema = pageSchema(chatCompletionSchema)

/** A page of the messages that a stored chat completion answers. */
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
export const storedChatChangeSchema = Type.Object(
  { metadata: metadataField('Your own notes, which replace the earlier ones; null = none.') },
  { additionalProperties: false },
)

const checker = createBodyChecker(storedChatChangeSchema)

/** Reads the body of POST /v1/chat/completions/<id>. @throws {ServiceError} naming every fault at once. */
export function parseStoredChatChange(received: unknown): Static<typeof storedChatChangeSchema> {
  const body = checker.parse(received, textFaultCodes)
  // Left out by mistake it must not take away what is there.
  if (isRecord(received) && !Object.hasOwn(received, 'metadata'))
    throw new ServiceError('invalid_request_error', '`metadata` is required: add an object, or null for none.', { param: 'metadata' })
  return body
}
