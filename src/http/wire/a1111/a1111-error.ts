import Type, { type Static } from 'typebox'
import { describeError, type ErrorReader } from '../../faults/error-body.ts'

/** The error body of A1111's routes. */
export const a1111ErrorSchema = Type.Object({
  error: Type.String({ description: 'The `code` of all other routes; the list is in docs/errors.md.' }),
  detail: Type.String({ description: 'One sentence that says what to change.' }),
  body: Type.String({ description: 'Empty.' }),
  errors: Type.String({ description: 'The same sentence.' }),
})

/** Makes an error body in the format of A1111's server. */
export function toA1111Error(error: unknown, reader: ErrorReader = {}): Static<typeof a1111ErrorSchema> {
  const { message, code } = describeError(error, reader)
  return { error: code, detail: message, body: '', errors: message }
}
