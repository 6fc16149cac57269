import Type from 'typebox'
import type { EmbeddingRequest, EmbeddingResult } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { faultsError, fieldFault, textFaultCodes } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import { embeddingInput, readEmbeddingInputs } from '../chat/embedding-request.ts'

/** The body of POST /embedding. */
export const nativeEmbeddingSchema = closed(
  optional({
    model: Type.String({
      minLength: 1,
      description: 'A text model with the capability embeddings; may be left out where there is only one.',
    }),
    content: embeddingInput,
    input: embeddingInput,
    embd_normalize: Type.Literal(2, { description: 'Accepted; vectors have unit length.' }),
  }),
)

/** Answer of POST /embedding. */
export const nativeEmbeddingAnswerSchema = Type.Array(
  Type.Object({
    index: Type.Integer({ minimum: 0 }),
    embedding: Type.Array(Type.Array(Type.Number()), { description: 'A list of one vector, of the whole text.' }),
  }),
)

const checker = createBodyChecker(nativeEmbeddingSchema)

/**
 * Reads the body of POST /embedding.
 *
 * @returns The request; `model` is undefined when the body names none.
 * @throws {ServiceError} naming every fault at once.
 */
export function parseNativeEmbedding(received: unknown): Omit<EmbeddingRequest, 'model'> & { readonly model: string | undefined } {
  const { model, content, input } = checker.parse(received, textFaultCodes)
  const given = content ?? input
  if (given === undefined) throw faultsError([fieldFault('content', 'is required: add it.', 'missing')], textFaultCodes)
  if (content !== undefined && input !== undefined)
    throw faultsError([fieldFault('input', 'contradicts `content`; send one of them.', 'missing')], textFaultCodes)
  const field = content === undefined ? 'input' : 'content'
  return { model, inputs: readEmbeddingInputs(given, field), field }
}

/** Vectors in llama.cpp's format. */
export function encodeNativeEmbedding({ vectors }: EmbeddingResult): Answer<typeof nativeEmbeddingAnswerSchema> {
  return vectors.map((vector, index) => ({ index, embedding: [vector] }))
}
