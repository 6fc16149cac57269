import type { EmbeddingRequest, EmbeddingResult, RankResult } from '../../core/text-generation.ts'
import { parseEmbeddings, parseScores } from './chunk.ts'
import { decodeChunks } from './decode-chunks.ts'
import { encodeTextRequest } from './encode-text-request.ts'
import { readDataLines } from './read-data-lines.ts'
import type { TextProtocol } from './text-protocol.ts'
import { makeBrokenError, readShaped } from './upstream-error.ts'

/** The OpenAI interface: vLLM, SGLang, llama-server, TGI, LM Studio, Sepia itself. */
export function createOpenAiProtocol(model: string): TextProtocol {
  return {
    async *generate(connection, request, { signal }) {
      const path = request.input.type === 'prompt' ? '/completions' : '/chat/completions'
      const pieces = await connection.send(path, encodeTextRequest(request, model), { signal })
      yield* decodeChunks(readDataLines(pieces), request.choices)
    },
    async embed(connection, request, { signal }) {
      const pieces = await connection.send('/embeddings', encodeEmbeddingRequest(request, model), { signal })
      const text = (await Array.fromAsync(pieces)).join('')
      return readShaped(() => decodeEmbeddings(request, text))
    },
    async rank(connection, { query, documents }, { signal }) {
      const pieces = await connection.send('/rerank', { model, query, documents }, { signal })
      const text = (await Array.fromAsync(pieces)).join('')
      return readShaped(() => decodeScores(documents, text))
    },
  }
}

function encodeEmbeddingRequest({ inputs, dimensions }: EmbeddingRequest, model: string): Record<string, unknown> {
  return { model, input: inputs, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
}

function decodeEmbeddings({ inputs }: EmbeddingRequest, text: string): EmbeddingResult {
  const answer = parseEmbeddings(text)
  const vectors = answer?.data?.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding) ?? []
  const promptTokens = answer?.usage?.prompt_tokens
  if (vectors.length !== inputs.length || promptTokens === undefined) throw makeBrokenError('sent no vector for each input')
  return { vectors, promptTokens }
}

/** Some servers do not count the tokens. */
function decodeScores(documents: readonly string[], text: string): RankResult {
  const answer = parseScores(text)
  const found = new Map(answer?.results?.map(({ index, relevance_score: score }) => [index, score]))
  const scores = documents.map((_, index) => found.get(index)).filter((score) => typeof score === 'number')
  if (scores.length !== documents.length) throw makeBrokenError('sent no score for each document')
  return { scores, promptTokens: answer?.usage?.prompt_tokens ?? answer?.usage?.total_tokens ?? 0 }
}
