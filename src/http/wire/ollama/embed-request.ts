import Type from 'typebox'
import type { EmbeddingRequest, EmbeddingResult } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, optional } from '../../faults/object-schema.ts'
import { refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { ignoredFields } from '../ignored-fields.ts'
import { findKeepAliveFaults, keepAliveField, unloadsNow } from './run-fields.ts'

const model = Type.String({ minLength: 1, description: 'A model that makes embeddings, see /api/tags.' })
const text = Type.String({ minLength: 1 })
/** Ollama's options do not change vectors. */
const shared = { keep_alive: keepAliveField, ...ignoredFields('options') }

/** The body of POST /api/embed. */
export const ollamaEmbedSchema = closed({
  model,
  input: Type.Union([Type.String(), Type.Array(text, { maxItems: 2048 })], {
    description: 'One text, or up to 2048; an empty input returns no vectors.',
  }),
  ...optional({
    dimensions: integerField(1, 2 ** 20, 'Leading numbers of each vector to keep, scaled to unit length again.'),
    truncate: Type.Boolean({ description: 'Accepted; a text that is too long is rejected, not shortened.' }),
  }),
  ...shared,
})

/** The body of POST /api/embeddings, Ollama's older route. */
export const ollamaEmbeddingsSchema = closed({
  model,
  prompt: Type.String({ description: 'The text; an empty one returns an empty vector.' }),
  ...shared,
})

/** Answer of POST /api/embed. */
export const ollamaEmbedAnswerSchema = Type.Object({
  model: Type.String(),
  embeddings: Type.Array(Type.Array(Type.Number()), { description: 'One vector of unit length per text.' }),
  total_duration: Type.Integer({ description: 'In nanoseconds.' }),
  load_duration: Type.Integer(),
  prompt_eval_count: Type.Integer({ description: 'Tokens of all texts.' }),
})

/** Answer of POST /api/embeddings. */
export const ollamaEmbeddingsAnswerSchema = Type.Object({ embedding: Type.Array(Type.Number()) })

const embedChecker = createBodyChecker(ollamaEmbedSchema)
const embeddingsChecker = createBodyChecker(ollamaEmbeddingsSchema)

/** Texts to embed, and whether their model leaves memory then. */
export interface OllamaEmbedding {
  readonly request: EmbeddingRequest
  readonly unloads: boolean
}

/** Reads the body of POST /api/embed. @throws {ServiceError} naming every fault at once. */
export function parseOllamaEmbed(received: unknown): OllamaEmbedding {
  const body = embedChecker.parse(received, textFaultCodes)
  const { input, dimensions } = body
  const inputs = input === '' ? [] : typeof input === 'string' ? [input] : input
  return withUnloading(body, { model: body.model, inputs, ...(dimensions !== undefined && { dimensions }) })
}

/** Reads the body of POST /api/embeddings. @throws {ServiceError} naming every fault at once. */
export function parseOllamaEmbeddings(received: unknown): OllamaEmbedding {
  const body = embeddingsChecker.parse(received, textFaultCodes)
  return withUnloading(body, { model: body.model, inputs: body.prompt === '' ? [] : [body.prompt] })
}

function withUnloading(body: Parameters<typeof unloadsNow>[0], request: EmbeddingRequest): OllamaEmbedding {
  refuseFaults(findKeepAliveFaults(body), textFaultCodes)
  return { request, unloads: unloadsNow(body) }
}

/** The answer of POST /api/embed. */
export function encodeOllamaEmbed(name: string, { vectors, promptTokens }: EmbeddingResult, tookMs: number): object {
  return {
    model: name,
    embeddings: vectors,
    total_duration: Math.round(tookMs * 1e6),
    load_duration: 0,
    prompt_eval_count: promptTokens,
  }
}
