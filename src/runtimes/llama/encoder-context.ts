import { ServiceError } from '../../core/error.ts'
import { type Abortable, OnDemand } from '../../core/waiting.ts'
import { cutBetweenTiles, tile } from './batch/attention-tile.ts'
import { BatchPace } from './batch/batch-pace.ts'
import type { DecodeLoop } from './batch/decode-loop.ts'
import type { ComputeThreads } from './binding/compute-threads.ts'
import { NativeContext } from './binding/native-context.ts'
import type { ModelFile } from './binding/open-model-file.ts'
import type { ThreadPool } from './binding/thread-pool.ts'

/** A model that sees a whole text at once does so in one batch, whose buffers grow with it. */
const longestText = 8192
/** llama.cpp makes room for a logit of every word at each token of a batch, also where a model has none. */
const logitBytes = 4
/** Minimum supported text length in tokens, even with little memory. */
const shortestLimit = 256
/** Longer pieces are not faster on a processor; a GPU uses the batch size of prompts. */
const [longestPiece, longestPieceOnGpu] = [tile, 8 * tile]

/** Properties of a loaded model needed for encoding. */
export type EncodedFile = Pick<ModelFile, 'native' | 'pooling' | 'ranking' | 'readsForward' | 'vocabularySize'>

interface EncoderOptions {
  /** Between whose batches texts are read. */
  readonly loop: Pick<DecodeLoop, 'between'>
  readonly threads: ComputeThreads
  readonly pool: ThreadPool
  readonly contextLength: number
  /** Memory for one batch. */
  readonly memoryBytes: number
  /** Whether the result for a text is a score instead of a vector. */
  readonly ranking: boolean
  readonly wholeOnGpu: boolean
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
}

/** Tokens of a text that are read at once. */
interface Piece {
  readonly first: number
  readonly piece: Uint32Array
  readonly signal: AbortSignal
}

interface Part {
  readonly tokens: number
  readonly vector: Float64Array
}

/**
 * Encodes whole texts, one at a time, in a separate context created on first use. llama.cpp computes logits for every token with an
 * embedding: 10 GB for 8 192 tokens and a vocabulary of 150 000. Causal models therefore read texts in pieces, between which other work can
 * run.
 */
export class EncoderContext implements AsyncDisposable {
  /** Tokens that a text may have. */
  readonly length: number
  readonly #file: EncodedFile
  readonly #options: EncoderOptions
  readonly #joins: 'last' | 'mean' | null
  readonly #longestPiece: number
  readonly #pace: BatchPace
  readonly #context = new OnDemand(() => this.#open())
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: EncodedFile, options: EncoderOptions) {
    const { contextLength, memoryBytes, wholeOnGpu } = options
    this.#file = file
    this.#options = options
    this.#joins = joinsPieces(file, options)
    const inOne = Math.max(shortestLimit, Math.floor(memoryBytes / (file.vocabularySize * logitBytes)))
    this.length = Math.min(contextLength, longestText, this.#joins === null ? inOne : longestText)
    this.#longestPiece = wholeOnGpu ? longestPieceOnGpu : longestPiece
    this.#pace = new BatchPace(this.#longestPiece)
  }

  /** Encodes a text: its vector, or a score per label. @throws {ServiceError} `numerical_error` if one is NaN or infinite. */
  read(tokens: Uint32Array, { signal }: Abortable): Promise<Float64Array> {
    const turn = this.#last.then(() => this.#readPieces(tokens, signal))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await (await this.#context.opened())?.[Symbol.asyncDispose]()
  }

  async #readPieces(tokens: Uint32Array, signal: AbortSignal): Promise<Float64Array> {
    signal.throwIfAborted()
    const context = await this.#context.get()
    context.disposeSequence(0)
    const made: Part[] = []
    for (let first = 0; first < tokens.length; ) {
      signal.throwIfAborted()
      const piece = tokens.subarray(first, first + this.#pieceLength(tokens.length - first))
      made.push({ tokens: piece.length, vector: await this.#options.loop.between(() => this.#evaluate(context, { first, piece, signal })) })
      first += piece.length
    }
    return (this.#joins === 'mean' ? meanOf(made) : made.at(-1)?.vector) ?? new Float64Array()
  }

  #pieceLength(left: number): number {
    return this.#joins === null ? left : cutBetweenTiles(left, this.#pace.limit({ decoding: true }))
  }

  async #evaluate(context: NativeContext, { first, piece, signal }: Piece): Promise<Float64Array> {
    const { threads, now } = this.#options
    context.initBatch()
    context.addToBatch(0, first, piece, Uint32Array.of(piece.length - 1))
    const startedAt = now()
    const stop = (): void => context.stopBatch()
    signal.addEventListener('abort', stop)
    try {
      await threads.decode(context, piece.length)
    } finally {
      signal.removeEventListener('abort', stop)
    }
    signal.throwIfAborted()
    this.#pace.note(piece.length, now() - startedAt)
    const vector = context.embedding()
    if (!vector.every(Number.isFinite))
      throw new ServiceError(
        'numerical_error',
        'The language model produced NaN or infinity; its file is damaged, or the device computes its quantization wrongly.',
      )
    return vector
  }

  async #open(): Promise<NativeContext> {
    const shape = {
      contextSize: this.length,
      batchSize: this.#joins === null ? this.length : Math.min(this.length, this.#longestPiece + tile - 1),
      sequences: 1,
      swaFullCache: false,
      makes: this.#options.ranking ? 'scores' : 'vectors',
    } as const
    const context = await NativeContext.open(this.#file.native, shape, this.#options)
    if (context !== null) return context
    const message = `There is not enough memory for texts of ${this.length} tokens; set a smaller contextLength.`
    throw new ServiceError('inference_failed', message)
  }
}

/** Combination of the results of a text's pieces; null = the text is read as a whole. */
function joinsPieces(
  { readsForward, pooling, ranking: { answersShares } }: EncodedFile,
  { ranking }: { readonly ranking: boolean },
): 'last' | 'mean' | null {
  if (!readsForward || pooling === 'cls') return null
  // Scores come from the first token; those of Qwen 3, which are probabilities, come from the last.
  if (ranking || pooling === 'rank') return answersShares ? 'last' : null
  return pooling === 'mean' ? 'mean' : 'last'
}

function meanOf(parts: readonly Part[]): Float64Array {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
  const sumAt = (index: number): number => parts.reduce((sum, part) => sum + (part.vector[index] ?? 0) * part.tokens, 0)
  return Float64Array.from(parts[0]?.vector ?? [], (_, index) => sumAt(index) / tokens)
}
