import Type, { type Static } from 'typebox'
import { describeError, type ErrorReader } from '../../faults/error-body.ts'
import { chatWords, type FieldWords, sentenceIn } from '../../faults/field-words.ts'

/** The error body of Ollama's routes. */
export const ollamaErrorSchema = Type.Object({
  error: Type.String({ description: 'One sentence that says what to change.' }),
  code: Type.String({ description: 'The `code` of all other routes; the list is in docs/errors.md.' }),
})

/** The error body of Ollama's routes, in which `error` is a string. */
export function toOllamaError(
  error: unknown,
  reader: ErrorReader = {},
  words: FieldWords = chatWords.ollama,
): Static<typeof ollamaErrorSchema> {
  const { message, code } = describeError(error, reader)
  return { error: sentenceIn(words, message), code }
}
