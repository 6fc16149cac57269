import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import type { EmbeddingRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, optional } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import { tokenId } from '../tokens/token-ids.ts'
import { acceptedFields } from './fields/accepted-fields.ts'

const input = Type.String({ minLength: 1 })
const maxTexts = 2048
const mostTokens = 8192

const unshortened = 'Accepted; a text longer than the context is rejected, not shortened.'

/** Truncation fields of TEI, Cohere, Jina and Voyage. */
export const truncationFields = {
  truncate: Type.Optional(Type.Union([Type.Boolean(), Type.Enum(['NONE', 'START', 'END'])], { description: unshortened })),
  truncation: Type.Optional(Type.Boolean({ description: unshortened })),
}

/** The input of an embedding. */
export const embeddingInput = Type.Union(
  [
    input,
    Type.Array(Type.Union([input, tokenId, Type.Array(tokenId, { minItems: 1, maxItems: mostTokens })]), {
      minItems: 1,
      maxItems: mostTokens,
    }),
  ],
  { description: 'One text, or the tokens of one; or a list of up to 2048 of either.' },
)

/** The body of POST /v1/embeddings. */
export const embeddingRequestSchema = closed({
  model: Type.String({ minLength: 1, description: 'A text model with the capability embeddings, see /v1/models.' }),
  input: embeddingInput,
  ...optional({
    dimensions: integerField(1, 2 ** 20, 'Leading numbers of each vector to keep, scaled to unit length again.'),
    encoding_format: Type.Enum(['float', 'base64'], { default: 'float', description: 'base64 = little-endian float32.' }),
  }),
  ...truncationFields,
  user: acceptedFields.user,
})

const checker = createBodyChecker(embeddingRequestSchema)

/** Reads the body of POST /v1/embeddings. @throws {ServiceError} naming every fault at once. */
export function parseEmbeddingRequest(received: unknown): { readonly request: EmbeddingRequest; readonly encoding: 'float' | 'base64' } {
  const body = checker.parse(received, textFaultCodes)
  return {
    request: {
      model: body.model,
      inputs: readEmbeddingInputs(body.input, 'input'),
      ...(body.dimensions !== undefined && { dimensions: body.dimensions }),
    },
    encoding: body.encoding_format ?? 'float',
  }
}

/**
 * The texts to embed, or their tokens.
 *
 * @param field The input's field name.
 * @throws {ServiceError} `invalid_request_error` when tokens and texts are mixed, or there are too many texts.
 */
export function readEmbeddingInputs(given: Static<typeof embeddingInput>, field: string): EmbeddingRequest['inputs'] {
  if (typeof given === 'string') return [given]
  const tokens = given.filter((entry) => typeof entry === 'number')
  if (tokens.length === given.length) return [tokens]
  const inputs = given.filter((entry) => typeof entry !== 'number')
  if (tokens.length > 0) throw refuse(field, 'must not mix tokens with texts and lists of tokens; put the tokens into a list')
  if (inputs.length > maxTexts) throw refuse(field, `must list at most ${maxTexts} texts; split it`)
  return inputs
}

function refuse(field: string, words: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${field}\` ${words}.`, { param: field })
}
