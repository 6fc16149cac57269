import Type from 'typebox'
import { describeError, type ErrorObject, type ErrorReader } from '../../faults/error-body.ts'
import { errorStatus } from '../../faults/error-status.ts'
import type { Answer } from '../answer.ts'

/** The error body of llama.cpp's routes. */
export const nativeErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.Integer({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'One sentence that says what to change.' }),
    type: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    reason: Type.String({ description: 'The `code` of all other routes; the list is in docs/errors.md.' }),
    cause: Type.Optional(Type.String({ description: 'The cause; only for owners in the console.' })),
  }),
})

/** Makes an error body in the format of llama.cpp's server, whose `code` is a number. */
export function toNativeError(error: unknown, reader: ErrorReader = {}): Answer<typeof nativeErrorSchema> {
  const { code: reason, ...said } = describeError(error, reader)
  const code = errorStatus[reason]
  return { error: { ...said, code, type: typeOf(reason) ?? said.type, reason } }
}

/** The error types in which llama.cpp differs from OpenAI. */
function typeOf(code: ErrorObject['code']): string | null {
  if (code === 'context_length_exceeded') return 'exceed_context_size_error'
  return errorStatus[code] === 503 ? 'unavailable_error' : null
}
