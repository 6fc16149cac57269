import { setImmediate } from 'node:timers/promises'
import type { WeightedText } from '../../../core/images/prompt-weights.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { type PromptChunk, type PromptTokenizer, promptChunks } from './prompt-chunks.ts'
import type { ClipTextEncoder, EncodedRow } from './text-encoder.ts'

/**
 * Maximum number of chunks: 10 000 Latin letters make up to 134, which leaves room for a style. Each costs time per step and memory per
 * position of the picture; 10 000 letters of other scripts make up to four times as many.
 */
const maxChunks = 150

/** A tokenizer with its encoder; SDXL has two, a refiner only the second. */
export interface TextPath {
  readonly tokenizer: PromptTokenizer
  readonly encoder: Pick<ClipTextEncoder, 'encode' | 'maxClipSkip' | 'width' | 'pooledWidth'>
  /** The prompt it encodes: the first (`prompt`) or the second (`prompt_2`). */
  readonly reads: 'first' | 'second'
}

/** A prompt for each encoder. */
export interface PromptPair {
  readonly first: readonly WeightedText[]
  readonly second: readonly WeightedText[]
  /** Third prompt of Stable Diffusion 3; absent = the first. */
  readonly third?: readonly WeightedText[]
}

/** A text as the UNet takes it. */
export interface EncodedPrompt {
  /** [tokens, width of all encoders together] */
  readonly hidden: Float32Array
  readonly tokens: number
  readonly pooled: Float32Array
}

export interface PromptEncoding {
  readonly positive: EncodedPrompt
  /** null without guidance. */
  readonly negative: EncodedPrompt | null
  /** Tokens that a text was cut at; absent = none was. */
  readonly cutAt?: number
}

export interface PromptsToEncode {
  readonly positive: PromptPair
  /** `zeros` = the model's unconditional input; null = not needed. */
  readonly negative: PromptPair | 'zeros' | null
  readonly clipSkip: number
  /** Cuts long texts after the first chunk, as diffusers does, instead of appending chunks. */
  readonly truncate: boolean
  /** Maximum tokens of a transformer's texts; absent = the family's. */
  readonly maxTokens?: number
}

/**
 * Encodes a prompt and its negative. Both get the same length: the longest text decides how many chunks of 75 tokens
 * there are, shorter ones are filled up with empty chunks. As in diffusers, `clipSkip` does not touch the negative.
 *
 * Texts of more than {@link maxChunks} are cut.
 *
 * @throws The signal's reason when aborted, before the next chunk.
 */
export async function encodePrompts(paths: readonly TextPath[], prompts: PromptsToEncode, { signal }: Abortable): Promise<PromptEncoding> {
  const { positive, negative, clipSkip, truncate } = prompts
  let cutAt: number | undefined
  const chunks = (path: TextPath, pair: PromptPair): readonly PromptChunk[] => {
    const all = promptChunks(path.tokenizer, pair[path.reads])
    if (truncate || all.length <= maxChunks) return all.slice(0, truncate ? 1 : undefined)
    // Only the tokenizer can tell, long after a request was accepted.
    cutAt = maxChunks * (path.tokenizer.maxLength - 2)
    return all.slice(0, maxChunks)
  }
  const negativePair = negative === 'zeros' ? null : negative
  const chunked = paths.map((path) => ({
    path,
    positive: chunks(path, positive),
    negative: negativePair === null ? null : chunks(path, negativePair),
  }))
  const count = Math.max(...chunked.map((both) => Math.max(both.positive.length, both.negative?.length ?? 0)))
  const positiveRows: (readonly EncodedRow[])[] = []
  const negativeRows: (readonly EncodedRow[])[] = []
  for (const { path, positive: wanted, negative: unwanted } of chunked) {
    const encode = async (wantedChunks: readonly PromptChunk[], skip: number): Promise<readonly EncodedRow[]> => {
      const filled = fillUp(path.tokenizer, wantedChunks, count)
      const encodedRows = new Map<PromptChunk, readonly EncodedRow[]>()
      for (const chunk of new Set(filled)) {
        // An encoder blocks the event loop; an abort can only arrive in between.
        await setImmediate()
        signal.throwIfAborted()
        const rows = await path.encoder.encode([{ ids: chunk.ids }], skip)
        encodedRows.set(
          chunk,
          rows.map((row) => applyWeights(row, chunk.weights)),
        )
      }
      return filled.flatMap((chunk) => encodedRows.get(chunk) ?? [])
    }
    positiveRows.push(await encode(wanted, clipSkip))
    if (unwanted !== null) negativeRows.push(await encode(unwanted, 0))
  }
  const encoded = join(positiveRows)
  const cut = cutAt === undefined ? {} : { cutAt }
  if (negative === null) return { positive: encoded, negative: null, ...cut }
  if (negative !== 'zeros') return { positive: encoded, negative: join(negativeRows), ...cut }
  const zeros = { ...encoded, hidden: new Float32Array(encoded.hidden.length), pooled: new Float32Array(encoded.pooled.length) }
  return { positive: encoded, negative: zeros, ...cut }
}

/** The chunks, and the same empty one again and again up to the count. */
function fillUp(tokenizer: PromptTokenizer, chunks: readonly PromptChunk[], count: number): readonly PromptChunk[] {
  const empty = promptChunks(tokenizer, [])
  return [...chunks, ...Array.from({ length: count - chunks.length }, () => empty).flat()]
}

/** Puts the encoders' widths side by side and the chunks one after the other; the first chunk's pooled output counts. */
function join(perEncoder: readonly (readonly EncodedRow[])[]): EncodedPrompt {
  const width = perEncoder.reduce((total, rows) => total + (rows[0]?.width ?? 0), 0)
  const chunks = perEncoder[0]?.length ?? 0
  const tokens = perEncoder[0]?.[0]?.tokens ?? 0
  const hidden = new Float32Array(chunks * tokens * width)
  let column = 0
  for (const rows of perEncoder) {
    for (const [chunk, row] of rows.entries()) {
      for (let token = 0; token < tokens; token++) {
        hidden.set(row.hidden.subarray(token * row.width, (token + 1) * row.width), (chunk * tokens + token) * width + column)
      }
    }
    column += rows[0]?.width ?? 0
  }
  const pooled = perEncoder.flatMap((rows) => rows[0]?.pooled ?? []).at(-1) ?? new Float32Array(0)
  return { hidden, tokens: chunks * tokens, pooled }
}

/**
 * Scales each token's embedding by its weight. The mean is left as it comes out: SDXL's second encoder has one near zero,
 * and restoring it, as some programs do, turns strong weights into noise.
 */
export function applyWeights(row: EncodedRow, weights: readonly number[]): EncodedRow {
  if (weights.every((weight) => weight === 1)) return row
  return { ...row, hidden: row.hidden.map((value, i) => value * (weights[Math.floor(i / row.width)] ?? 1)) }
}
