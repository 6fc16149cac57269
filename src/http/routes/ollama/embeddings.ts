import type { EmbeddingResult } from '../../../core/text-generation.ts'
import { createEmbedding } from '../../../operations/run-work.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { requireTextModel } from '../../wire/chat/require-text-model.ts'
import {
  encodeOllamaEmbed,
  type OllamaEmbedding,
  ollamaEmbedAnswerSchema,
  ollamaEmbeddingsAnswerSchema,
  ollamaEmbeddingsSchema,
  ollamaEmbedSchema,
  parseOllamaEmbed,
  parseOllamaEmbeddings,
} from '../../wire/ollama/embed-request.ts'
import { unloadAfterwards } from '../models.ts'
import { json, modelRefusals } from '../row-parts.ts'

const model = 'all-minilm-l6-v2'

/** Embeddings in Ollama's format. */
export const ollamaEmbeddingRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/embed',
    origin: 'textUrl',
    summary: "Embed texts, in Ollama's format",
    scopes: ['text'],
    spends: 'tokens',
    model: 'embedding',
    body: ollamaEmbedSchema,
    example: { model, input: ['A cat.', 'A dog.'] },
    answers: [json('The vectors.', ollamaEmbedAnswerSchema)],
    refusals: modelRefusals,
    handle: (deps) => async (call) => {
      const startedAt = deps.clock.now()
      const parsed = parseOllamaEmbed(synchronousBody(call.incoming).value)
      return encodeOllamaEmbed(parsed.request.model, await embed(deps, call, parsed), deps.clock.now() - startedAt)
    },
  },
  {
    method: 'POST',
    path: '/api/embeddings',
    origin: 'textUrl',
    summary: "Embed one text, in Ollama's older format",
    scopes: ['text'],
    spends: 'tokens',
    model: 'embedding',
    body: ollamaEmbeddingsSchema,
    example: { model, prompt: 'A cat.' },
    answers: [json('The vector.', ollamaEmbeddingsAnswerSchema)],
    refusals: modelRefusals,
    handle: (deps) => async (call) => {
      const { vectors } = await embed(deps, call, parseOllamaEmbeddings(synchronousBody(call.incoming).value))
      return { embedding: vectors[0] ?? [] }
    },
  },
]

async function embed(deps: RouteDependencies, call: Call, { request, unloads }: OllamaEmbedding): Promise<EmbeddingResult> {
  const { id } = requireTextModel(deps.catalog, request.model, 'embed')
  const none = request.inputs.length === 0
  const result = none ? { vectors: [], promptTokens: 0 } : await createEmbedding(call.work, { caller: call.caller, request }, call.options)
  if (unloads) await unloadAfterwards(deps, call, id)
  return result
}
