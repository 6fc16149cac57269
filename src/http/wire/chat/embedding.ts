import type { EmbeddingResult } from '../../../core/text-generation.ts'

import type { Answer } from '../answer.ts'
import type { embeddingSchema } from './text-answers.ts'

/** The answer of POST /v1/embeddings. */
export function encodeEmbedding(model: string, result: EmbeddingResult, encoding: 'float' | 'base64'): Answer<typeof embeddingSchema> {
  return {
    object: 'list',
    data: result.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'float' ? vector : toFloat32Base64(vector),
    })),
    model,
    usage: { prompt_tokens: result.promptTokens, total_tokens: result.promptTokens },
  }
}

function toFloat32Base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
