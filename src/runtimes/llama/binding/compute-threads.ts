import type { DecodingContext } from './native-context.ts'
import type { ThreadPool } from './thread-pool.ts'

/**
 * Weights that each thread must have to read, or its share takes no longer than handing it out. Of 7.6 MB, a batch of 1 and of 8 tokens takes 0.5 and 2.9 ms with one
 * thread, and 0.4 and 2.1 with two.
 */
const bytesPerThread = 3.5e6
/** A batch of this many tokens takes about twice as long as a single token; beyond that, time grows with tokens. */
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
