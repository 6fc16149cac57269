/** A batch with others in it is not interrupted: this is the longest one should take, so that a client that leaves is gone within 300 ms. */
const longestMs = 200
/** Time limit of a batch while others decode, since all of them wait for it. */
const longestWhileDecodingMs = 100
/**
 * A batch that takes no longer may hold up the event loop. To hand it to another thread and be woken by it takes 0.1 ms per token, and some
 * milliseconds on a machine with more to do than cores.
 */
const quickMs = 25
/** Smaller batches say little about the price of a token. */
const minSamples = 32
/** Initial batch size before measurements, and the minimum size. */
const [firstGuess, least] = [128, 64]

/** Learns how many prompt tokens fit into a batch of bearable length. */
export class BatchPace {
  readonly #most: number
  #msPerToken: number | null = null
  #lastMs = Number.POSITIVE_INFINITY

  /** @param most Maximum prompt tokens per batch, however fast the model is. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether a batch like the last one is not worth another thread. */
  get isQuick(): boolean {
    return this.#lastMs <= quickMs
  }

  /** Prompt tokens for the next batch. */
  limit({ decoding }: { readonly decoding: boolean }): number {
    if (this.#msPerToken === null) return Math.min(firstGuess, this.#most)
    const bearable = Math.floor((decoding ? longestWhileDecodingMs : longestMs) / this.#msPerToken)
    return Math.min(Math.max(least, bearable), this.#most)
  }

  /** Notes how long a batch took. */
  note(tokens: number, milliseconds: number): void {
    this.#lastMs = milliseconds
    if (tokens < minSamples) return
    const price = milliseconds / tokens
    this.#msPerToken = this.#msPerToken === null ? price : 0.7 * this.#msPerToken + 0.3 * price
  }
}
