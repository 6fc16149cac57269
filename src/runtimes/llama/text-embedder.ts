import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../core/error.ts'
import type { EmbeddingRequest, EmbeddingResult } from '../../core/text-generation.ts'
import type { NativeContext } from './binding/native-binding.ts'
import type { ModelFile } from './binding/open-model-file.ts'
import type { Vocabulary } from './binding/vocabulary.ts'
import { checkPromptFits, tooLong } from './prompt/prompt-tokens.ts'

/** An encoder sees a whole text in one batch, whose buffers grow with it. */
const longestText = 8192

/** Makes embeddings, one text at a time, in a context of its own that opens with the first request. */
export class TextEmbedder implements AsyncDisposable {
  readonly #file: ModelFile
  readonly #vocabulary: Vocabulary
  readonly #threads: number
  readonly #length: number
  #context: Promise<NativeContext> | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    file: ModelFile,
    vocabulary: Vocabulary,
    { threads, contextLength }: { readonly threads: number; readonly contextLength: number },
  ) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#threads = threads
    this.#length = Math.min(contextLength, longestText)
  }

  /** @throws {ServiceError} `context_length_exceeded` before anything is computed. */
  async embed({ inputs, dimensions }: EmbeddingRequest, { signal }: { readonly signal: AbortSignal }): Promise<EmbeddingResult> {
    const size = this.#file.native.getEmbeddingVectorSize()
    if (dimensions !== undefined && dimensions > size) throw tooWide(dimensions, size)
    const texts: Uint32Array[] = []
    for (const input of inputs) {
      // Whoever streams from this engine has a turn between two texts.
      if (texts.length > 0) await setImmediate()
      signal.throwIfAborted()
      texts.push(this.#tokenize(input))
    }
    const vectors: (readonly number[])[] = []
    for (const tokens of texts) {
      const turn = this.#last.then(() => {
        signal.throwIfAborted()
        return this.#vector(tokens, dimensions ?? size)
      })
      this.#last = turn.catch(() => undefined)
      vectors.push(await turn)
    }
    return { vectors, promptTokens: texts.reduce((sum, tokens) => sum + tokens.length, 0) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await (await this.#context)?.dispose()
  }

  #tokenize(text: string | readonly number[]): Uint32Array {
    const { begin, end } = this.#vocabulary
    const least = typeof text === 'string' ? Math.ceil(Buffer.byteLength(text) / this.#file.longestToken) : text.length
    if (least > this.#length) throw tooLong(`at least ${least}`, this.#length, 'input')
    const tokens = typeof text === 'string' ? [...this.#vocabulary.tokenize(text, { special: false })] : [...text]
    this.#requireKnown(tokens)
    if (begin !== null && tokens[0] !== begin) tokens.unshift(begin)
    if (end !== null && tokens.at(-1) !== end) tokens.push(end)
    if (tokens.length === 0)
      throw new ServiceError('invalid_request_error', 'An empty text has no embedding; send at least one character.', { param: 'input' })
    checkPromptFits(tokens.length - 1, this.#length, 'input')
    return Uint32Array.from(tokens)
  }

  #requireKnown(tokens: readonly number[]): void {
    const unknown = tokens.find((token) => token >= this.#vocabulary.size)
    if (unknown === undefined) return
    const message = `input names token ${unknown}; this model's tokens are 0 to ${this.#vocabulary.size - 1}.`
    throw new ServiceError('invalid_request_error', message, { param: 'input' })
  }

  async #vector(tokens: Uint32Array, dimensions: number): Promise<readonly number[]> {
    this.#context ??= this.#open()
    const context = await this.#context
    context.disposeSequence(0)
    context.initBatch(tokens.length)
    context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1))
    await context.decodeBatch()
    const raw = context.getEmbedding(tokens.length).subarray(0, dimensions)
    const length = Math.hypot(...raw)
    return Array.from(raw, (value) => (length === 0 ? 0 : value / length))
  }

  async #open(): Promise<NativeContext> {
    const context = new this.#file.binding.AddonContext(this.#file.native, {
      contextSize: this.#length,
      batchSize: this.#length,
      sequences: 1,
      threads: this.#threads,
      flashAttention: 'auto',
      swaFullCache: false,
      embeddings: true,
    })
    if (await context.init()) return context
    throw new ServiceError('inference_failed', `There is no memory for embeddings of ${this.#length} tokens; set a smaller contextLength.`)
  }
}

function tooWide(dimensions: number, size: number): ServiceError {
  const message = `This model's vectors have ${size} dimensions; ask for at most as many as that, not ${dimensions}.`
  return new ServiceError('invalid_request_error', message, { param: 'dimensions' })
}
