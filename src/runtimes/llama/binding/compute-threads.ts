import type { DecodingContext } from './native-context.ts'
import type { ThreadPool } from './thread-pool.ts'

/** Weights that a thread must have to read, or it costs more to wake it than it brings: half a millisecond's worth. */
const bytesPerThread = 8e6
/**
 * A batch of this many tokens takes about twice as long as a single token; beyond that, time grows with tokens. Of 7.6 MB, 1, 8, 16 and 32
 * tokens took 0.55, 1.5, 2.8 and 5.7 ms with one thread, and 0.65, 1.3, 2.2 and 4.1 with two.
 */
const tokensPerReading = 4

/** Number of pool threads for a model's batches. */
export class ComputeThreads {
  readonly #pool: Pick<ThreadPool, 'count'>
  readonly #bytes: number

  /** @param bytes Of the weights. */
  constructor(pool: Pick<ThreadPool, 'count'>, bytes: number) {
    this.#pool = pool
    this.#bytes = bytes
  }

  /** Evaluates the batch of a context; false when it was stopped. Batches of one size always have the same threads, on which the last digits of a text's attention depend. */
  decode(context: DecodingContext, tokens: number, options?: { readonly here: boolean }): Promise<boolean> {
    const worthwhile = Math.floor((this.#bytes * Math.max(1, tokens / tokensPerReading)) / bytesPerThread)
    return context.decodeBatch(Math.max(1, Math.min(this.#pool.count, worthwhile)), options)
  }
}
