import { ServiceError } from '../../core/error.ts'
import type { ComputeThreads } from './binding/compute-threads.ts'
import type { NativeContext } from './binding/native-binding.ts'
import type { ModelFile } from './binding/open-model-file.ts'

/** An encoder sees a whole text in one batch, whose buffers grow with it. */
const longestText = 8192

/** Reads whole texts, one at a time, in a context of its own that opens with the first. */
export class EncoderContext implements AsyncDisposable {
  /** Tokens that a text may have. */
  readonly length: number
  readonly #file: ModelFile
  readonly #threads: ComputeThreads
  readonly #ranking: boolean
  #context: Promise<NativeContext> | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** @param options.ranking Whether what it makes of a text is a score and no vector. */
  constructor(
    file: ModelFile,
    { threads, contextLength, ranking }: { readonly threads: ComputeThreads; readonly contextLength: number; readonly ranking: boolean },
  ) {
    this.#file = file
    this.#threads = threads
    this.#ranking = ranking
    this.length = Math.min(contextLength, longestText)
  }

  /** What the model makes of a text: its vector, or a score per label. */
  read(tokens: Uint32Array, { signal }: { readonly signal: AbortSignal }): Promise<Float64Array> {
    const turn = this.#last.then(() => {
      signal.throwIfAborted()
      return this.#evaluate(tokens)
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await (await this.#context)?.dispose()
  }

  async #evaluate(tokens: Uint32Array): Promise<Float64Array> {
    this.#context ??= this.#open()
    const context = await this.#context
    context.disposeSequence(0)
    context.initBatch(tokens.length)
    context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1))
    await this.#threads.decode(context, tokens.length)
    return context.getEmbedding(tokens.length)
  }

  async #open(): Promise<NativeContext> {
    const context = new this.#file.binding.AddonContext(this.#file.native, {
      contextSize: this.length,
      batchSize: this.length,
      sequences: 1,
      threads: this.#threads.allowed.count,
      flashAttention: 'auto',
      swaFullCache: false,
      embeddings: true,
      ranking: this.#ranking,
    })
    if (await context.init()) return context
    throw new ServiceError('inference_failed', `There is no memory for texts of ${this.length} tokens; set a smaller contextLength.`)
  }
}
