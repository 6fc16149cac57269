import Type from 'typebox'
import type { EmbeddingRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { textFaultCodes } from '../faults/refuse-faults.ts'

const input = Type.String({ minLength: 1 })

/** The body of POST /v1/embeddings. */
export const embeddingRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'A text model with the capability embeddings, see /v1/models.' }),
    input: Type.Union([input, Type.Array(input, { minItems: 1, maxItems: 2048 })], { description: 'One text, or a list of up to 2048.' }),
    encoding_format: Type.Optional(Type.Enum(['float', 'base64'], { default: 'float', description: 'base64 = little-endian float32.' })),
    user: Type.Optional(Type.String({ description: 'Your own name for the end user; accepted for compatibility, not kept.' })),
  },
  { additionalProperties: false },
)

const checker = createBodyChecker(embeddingRequestSchema)

/** Reads the body of POST /v1/embeddings. @throws {ServiceError} naming every fault at once. */
export function parseEmbeddingRequest(received: unknown): { readonly request: EmbeddingRequest; readonly encoding: 'float' | 'base64' } {
  const body = checker.parse(received, textFaultCodes)
  return {
    request: { model: body.model, inputs: typeof body.input === 'string' ? [body.input] : body.input },
    encoding: body.encoding_format ?? 'float',
  }
}
