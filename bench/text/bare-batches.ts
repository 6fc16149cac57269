import { NativeContext } from '../../src/runtimes/llama/binding/native-context.ts'
import { NativeSampler } from '../../src/runtimes/llama/binding/native-sampler.ts'
import { type ModelFile, openModelFile } from '../../src/runtimes/llama/binding/open-model-file.ts'
import { ThreadPool } from '../../src/runtimes/llama/binding/thread-pool.ts'

/** Tokens of the bench's prompts that a slot has from the one before, and those that are new. */
const [cached, fresh] = [29, 11]

/** Tokens a second of all streams. */
export interface BareRate {
  /** With the time to read the new tokens of all prompts: what no server on these kernels reaches. */
  readonly whole: number
  /** Of the batches after that. */
  readonly decode: number
}

/** A loop over llama.cpp that computes the batches of so many streams and draws, and nothing else: no text, processes or HTTP. */
export class BareBatches implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack
  readonly #context: NativeContext
  readonly #sampler: NativeSampler
  readonly #threads: number
  readonly #streams: number

  private constructor(
    parts: AsyncDisposableStack,
    context: NativeContext,
    sampler: NativeSampler,
    { threads, streams }: { threads: number; streams: number },
  ) {
    this.#parts = parts
    this.#context = context
    this.#sampler = sampler
    this.#threads = threads
    this.#streams = streams
  }

  static async open(path: string, shape: { threads: number; streams: number; tokens: number }): Promise<BareBatches> {
    await using opened = new AsyncDisposableStack()
    const { threads, streams, tokens } = shape
    const file: ModelFile = opened.use(await openModelFile(path, new AbortController()))
    const pool = opened.use(new ThreadPool(file.native.library, threads))
    const contextSize = Math.ceil((cached + fresh + tokens) / 256) * 256 * streams
    const size = { contextSize, batchSize: 512 + streams, sequences: streams, swaFullCache: true, makes: 'logits' } as const
    const context = await NativeContext.open(file.native, size, { pool, inOrder: true })
    if (context === null) throw new Error('There is not enough memory.')
    opened.use(context)
    const sampler = opened.use(new NativeSampler(file.native, {}))
    sampler.restore({ tokens: Uint32Array.of(0, 2), values: Float32Array.of(-100, -100) }) // as the bench asks of the servers
    const bare = new BareBatches(opened.move(), context, sampler, shape)
    for (let stream = 0; stream < streams; stream++) await bare.#compute([stream], 0, cached)
    return bare
  }

  async measure(tokens: number): Promise<BareRate> {
    const all = Array.from({ length: this.#streams }, (_, stream) => stream)
    for (const stream of all) this.#context.removeTokenCellsFromSequence(stream, cached, -1)
    const startedAt = performance.now()
    await this.#compute(all, cached, fresh)
    const readAt = performance.now()
    for (let token = 1; token < tokens; token++) await this.#compute(all, cached + fresh + token - 1, 1)
    const endedAt = performance.now()
    return {
      whole: (this.#streams * tokens * 1000) / (endedAt - startedAt),
      decode: (this.#streams * (tokens - 1) * 1000) / (endedAt - readAt),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }

  /** One batch with `count` tokens of each of these streams. */
  async #compute(streams: readonly number[], position: number, count: number): Promise<void> {
    this.#context.initBatch()
    const tokens = Uint32Array.from({ length: count }, (_, index) => 100 + 7 * ((position + index) % 90))
    const places = streams.map((stream) => this.#context.addToBatch(stream, position, tokens, Uint32Array.of(count - 1))[0] ?? 0)
    await this.#context.decodeBatch(this.#threads, { here: true })
    for (const place of places) await this.#context.sampleToken(place, this.#sampler)
  }
}
