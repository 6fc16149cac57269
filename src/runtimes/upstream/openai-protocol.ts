import type { EmbeddingRequest, EmbeddingResult, RankResult } from '../../core/text-generation.ts'
import { parseEmbeddings, parseScores } from './chunk.ts'
import { ChunkDecoder } from './chunk-decoder.ts'
import { encodeTextRequest } from './encode-text-request.ts'
import type { TextProtocol } from './text-protocol.ts'
import { makeBrokenError, readShaped } from './upstream-error.ts'

/** Characters that an answer may have whatever was asked. */
const perAnswer = 1 << 20
/** Characters of a vector: 4 096 numbers of 32. */
const perVector = 4096 * 32
/** Vectors of one call: a longer answer would hold up everybody else while it is parsed. */
const vectorsAtOnce = 64
const perScore = 1024
const perEscaped = 6

/** The OpenAI interface: vLLM, SGLang, llama-server, TGI, LM Studio, Sepia itself. */
export function createOpenAiProtocol(model: string): TextProtocol {
  return {
    question: (request) => ({
      path: request.input.type === 'prompt' ? '/completions' : '/chat/completions',
      body: encodeTextRequest(request, model),
      decoder: new ChunkDecoder(request.choices),
    }),
    async embed(connection, request, { signal }) {
      const results: EmbeddingResult[] = []
      for (let at = 0; at < request.inputs.length; at += vectorsAtOnce) {
        const part = { ...request, inputs: request.inputs.slice(at, at + vectorsAtOnce) }
        const pieces = await connection.send('/embeddings', encodeEmbeddingRequest(part, model), { signal })
        const text = await readAnswer(pieces, perAnswer + part.inputs.length * perVector)
        results.push(readShaped(() => decodeEmbeddings(part, text)))
      }
      return {
        vectors: results.flatMap(({ vectors }) => vectors),
        promptTokens: results.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      }
    },
    async rank(connection, { query, documents }, { signal }) {
      const pieces = await connection.send('/rerank', { model, query, documents }, { signal })
      const asked = documents.reduce((sum, document) => sum + document.length, 0)
      // Some servers send the documents back, every character of them escaped at worst.
      const text = await readAnswer(pieces, perAnswer + documents.length * perScore + asked * perEscaped)
      return readShaped(() => decodeScores(documents, text))
    },
  }
}

/** @throws {ServiceError} `inference_failed` when an answer is longer than one of what was asked could be. */
async function readAnswer(pieces: AsyncIterable<string>, longest: number): Promise<string> {
  const read: string[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > longest) throw makeBrokenError(`sent more than ${longest} characters, which is more than was asked for`)
    read.push(piece)
  }
  return read.join('')
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
