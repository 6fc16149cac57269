import { ServiceError } from '../../core/error.ts'
import type { EmbeddingRequest, EmbeddingResult, PromptField, RankResult } from '../../core/text-generation.ts'
import { parseEmbeddings, parseScores, type Score } from './chunk.ts'
import { ChunkDecoder } from './chunk-decoder.ts'
import { encodeTextRequest } from './encode-text-request.ts'
import { RefusedFields } from './refused-fields.ts'
import { streamAnswer } from './stream-answer.ts'
import type { CountWatch, TextProtocol } from './text-protocol.ts'
import { countOf } from './token-count.ts'
import type { UpstreamConnection } from './upstream-connection.ts'
import { makeBrokenError, nameTooLong, readShaped } from './upstream-error.ts'

/** Characters that every response may have. */
const perAnswer = 1 << 20
/** Maximum characters of a vector: 4 096 numbers of 32 characters. */
const perVector = 4096 * 32
/** Maximum inputs of one call: TEI's default limit, and parsing many vectors would block other requests. */
const inputsAtOnce = 32
const perScore = 1024
const perEscaped = 6

/** The OpenAI API: vLLM, SGLang, llama-server, TGI, LM Studio and Sepia itself. */
export function createOpenAiProtocol(model: string, watch: CountWatch = {}): TextProtocol {
  const refused = new RefusedFields()
  /** Servers that take TEI's `texts` instead of `documents`. */
  const takeTexts = new WeakSet<UpstreamConnection>()
  return {
    generate(connection, request, { signal }) {
      const path = request.input.type === 'prompt' ? '/completions' : '/chat/completions'
      return refused.send(connection, encodeTextRequest(request, model), (body) =>
        streamAnswer(connection, { path, body, decoder: new ChunkDecoder(request.choices) }, request, {
          signal,
          onUncounted: watch.onUncounted,
        }),
      )
    },
    async embed(connection, request, { signal }) {
      const results: EmbeddingResult[] = []
      for (let at = 0; at < request.inputs.length; at += inputsAtOnce) {
        const part = { ...request, inputs: request.inputs.slice(at, at + inputsAtOnce) }
        const requested = { path: '/embeddings', body: encodeEmbeddingRequest(part, model), field: request.field ?? 'input' } as const
        const text = await readAnswer(connection, requested, { signal, longest: perAnswer + part.inputs.length * perVector })
        results.push(readShaped(() => decodeEmbeddings(part, text, watch)))
      }
      return {
        vectors: results.flatMap(({ vectors }) => vectors),
        promptTokens: results.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      }
    },
    async rank(connection, { query, documents }, { signal }) {
      const request = async (body: object, texts: readonly string[]): Promise<RankResult> => {
        const characters = texts.reduce((sum, document) => sum + document.length, 0)
        // Some servers return the documents, in the worst case with every character escaped.
        const longest = perAnswer + texts.length * perScore + characters * perEscaped
        const text = await readAnswer(connection, { path: '/rerank', body, field: 'documents' }, { signal, longest })
        return readShaped(() => decodeScores({ query, documents: texts }, text, watch))
      }
      const refusal = takeTexts.has(connection) ? null : await request({ model, query, documents }, documents).catch(keepRefusal)
      if (refusal !== null && !(refusal instanceof ServiceError)) return refusal
      const results: RankResult[] = []
      for (let at = 0; at < documents.length; at += inputsAtOnce) {
        const texts = documents.slice(at, at + inputsAtOnce)
        results.push(
          await request({ query, texts }, texts).catch((error: unknown) => {
            // Another server may have taken its place.
            takeTexts.delete(connection)
            throw refusal ?? error
          }),
        )
      }
      takeTexts.add(connection)
      return {
        scores: results.flatMap(({ scores }) => scores),
        promptTokens: results.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      }
    },
  }
}

/** A refusal of a request, after which another form is tried. @throws any other error. */
function keepRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.code === 'invalid_request_error') return error
  throw error
}

/** @throws {ServiceError} `inference_failed` if a response is longer than any answer to the request could be. */
async function readAnswer(
  connection: UpstreamConnection,
  { path, body, field }: { readonly path: string; readonly body: object; readonly field: PromptField },
  { signal, longest }: { readonly signal: AbortSignal; readonly longest: number },
): Promise<string> {
  const pieces = await connection.send(path, body, { signal }).catch((error: unknown) => {
    throw nameTooLong(error, field)
  })
  const read: string[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > longest) throw makeBrokenError(`sent more than ${longest} characters, which is more than requested`)
    read.push(piece)
  }
  return read.join('')
}

function encodeEmbeddingRequest({ inputs, dimensions }: EmbeddingRequest, model: string): Record<string, unknown> {
  return { model, input: inputs, encoding_format: 'float', dimensions }
}

function decodeEmbeddings({ inputs, dimensions }: EmbeddingRequest, text: string, { onUncounted }: CountWatch): EmbeddingResult {
  const answer = parseEmbeddings(text)
  const listed = answer?.data ?? (answer?.embeddings ?? [answer?.embedding]).map((embedding) => ({ embedding, index: null }))
  const numbered = listed.map(({ index, embedding }, place) => ({ index: Number(index ?? place), embedding }))
  // Some servers number every vector 0.
  const isNumbered = numbered.some(({ index }) => index !== numbered[0]?.index)
  if (isNumbered && !isPermutation(numbered.map(({ index }) => index))) throw makeBrokenError('sent vectors with a wrong `index`')
  const vectors = numbered.toSorted((a, b) => a.index - b.index).map(({ embedding }) => decodeVector(embedding))
  if (vectors.length !== inputs.length || !vectors.every(isVector)) throw makeBrokenError('did not send one vector for each input')
  if (vectors.some(({ length }) => length !== vectors[0]?.length)) throw makeBrokenError('sent vectors of different lengths')
  if (dimensions !== undefined && vectors.some(({ length }) => length !== dimensions))
    throw new ServiceError('unsupported_parameter', 'This model runs on a server with vectors of one length; leave dimensions out.', {
      param: 'dimensions',
    })
  const counted = countOf(answer?.usage?.prompt_tokens ?? answer?.usage?.total_tokens)
  if (counted === undefined) onUncounted?.()
  return { vectors, promptTokens: counted ?? estimate(inputs) }
}

function isPermutation(indexes: readonly number[]): boolean {
  const sorted = indexes.toSorted((a, b) => a - b)
  return sorted.every((index, place) => index === place)
}

/** A list of numbers, or the only list in one; some servers always send 32-bit floats in base64. */
function decodeVector(embedding: unknown): readonly number[] {
  if (Array.isArray(embedding) && embedding.length === 1 && Array.isArray(embedding[0])) return decodeVector(embedding[0])
  if (typeof embedding !== 'string') return Array.isArray(embedding) ? embedding : []
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) return []
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4))
}

function isVector(embedding: readonly number[]): boolean {
  return embedding.length > 0 && embedding.every(Number.isFinite)
}

/** Estimated number of tokens of these texts, for servers that report none. */
function estimate(inputs: readonly (string | readonly number[])[]): number {
  const tokensOf = (input: string | readonly number[]) =>
    typeof input === 'string' ? Math.ceil(Buffer.byteLength(input) / 4) : input.length
  return inputs.reduce((sum, input) => sum + tokensOf(input), 0)
}

/** A finite number, or the text of one; null = neither. */
function scoreOf(score: unknown): number | null {
  const number = typeof score === 'string' && score.trim() !== '' ? Number(score) : score
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Some servers report no token counts. */
function decodeScores(
  { query, documents }: { readonly query: string; readonly documents: readonly string[] },
  text: string,
  { onUncounted }: CountWatch,
): RankResult {
  const { scores: bare = [], data, usage, meta, ...answer } = parseScores(text) ?? {}
  const results: readonly Score[] = answer.results ?? data ?? bare.map((score, index) => ({ index, score }))
  const found = new Map<number, number>()
  for (const { index, relevance_score: relevance, score = relevance } of results) {
    const [place, number] = [Number(index), scoreOf(score)]
    if (number === null) continue
    if ((found.get(place) ?? number) !== number) throw makeBrokenError('sent two scores for one document')
    found.set(place, number)
  }
  const scores = documents.flatMap((_, index) => found.get(index) ?? [])
  if (scores.length !== documents.length)
    throw makeBrokenError(`sent no score for ${documents.length - scores.length} of ${documents.length} documents`)
  const perDocument = results.map(({ meta_info: meta }) => countOf(meta?.prompt_tokens))
  const summed = perDocument.every((count) => count !== undefined) ? perDocument.reduce((sum, count) => sum + count, 0) : undefined
  const counted = countOf(usage?.prompt_tokens ?? usage?.total_tokens ?? meta?.tokens?.input_tokens) ?? summed
  if (counted === undefined) onUncounted?.()
  return { scores, promptTokens: counted ?? estimate(documents.flatMap((document) => [query, document])) }
}
