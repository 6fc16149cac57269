import Type from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import type { EmbeddingRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { textFaultCodes } from '../faults/refuse-faults.ts'

const input = Type.String({ minLength: 1 })
const token = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const mostTexts = 2048
const mostTokens = 8192

/** The body of POST /v1/embeddings. */
export const embeddingRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'A text model with the capability embeddings, see /v1/models.' }),
    input: Type.Union(
      [
        input,
        Type.Array(Type.Union([input, token, Type.Array(token, { minItems: 1, maxItems: mostTokens })]), {
          minItems: 1,
          maxItems: mostTokens,
        }),
      ],
      { description: 'One text, or a list of up to 2048; or the tokens of one text, or a list of such lists.' },
    ),
    dimensions: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2 ** 20, description: 'Leading numbers of each vector to keep, scaled to unit length again.' }),
    ),
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
    request: { model: body.model, inputs: readInputs(body.input), ...(body.dimensions !== undefined && { dimensions: body.dimensions }) },
    encoding: body.encoding_format ?? 'float',
  }
}

function readInputs(input: string | readonly (string | number | readonly number[])[]): EmbeddingRequest['inputs'] {
  if (typeof input === 'string') return [input]
  const tokens = input.filter((entry) => typeof entry === 'number')
  if (tokens.length === input.length) return [tokens]
  const texts = input.filter((entry) => typeof entry === 'string')
  const lists = input.filter((entry) => typeof entry === 'object')
  const inputs = texts.length > 0 ? texts : lists
  if (inputs.length < input.length) throw refuse('`input` must not mix texts, tokens and lists of tokens; send one kind.')
  if (inputs.length > mostTexts) throw refuse(`\`input\` must list at most ${mostTexts} texts; split it.`)
  return inputs
}

function refuse(message: string): ServiceError {
  return new ServiceError('invalid_request_error', message, { param: 'input' })
}
