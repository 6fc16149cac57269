/** A batch cannot be interrupted: this is the longest one should take, so that who leaves is gone within 300 ms. */
const longestMs = 200
/** Prompt tokens per batch while others decode, at most: each of them waits for the whole batch. */
const mostWhileDecoding = 128
/** Smaller batches say little about the price of a token. */
const telling = 32
/** What we try before anything was measured, and the least that is worth a batch. */
const [firstGuess, least] = [128, 64]

/** Learns how many prompt tokens fit into a batch of bearable length. */
export class BatchPace {
  readonly #most: number
  #msPerToken: number | null = null

  /** @param most Prompt tokens per batch, however fast the model is. */
  constructor(most: number) {
    this.#most = most
  }

  /** Prompt tokens for the next batch. */
  limit({ decoding }: { readonly decoding: boolean }): number {
    const bearable = this.#msPerToken === null ? firstGuess : Math.max(least, Math.floor(longestMs / this.#msPerToken))
    return Math.min(bearable, decoding ? mostWhileDecoding : this.#most)
  }

  /** Notes how long a batch took. */
  note(tokens: number, milliseconds: number): void {
    if (tokens < telling) return
    const price = milliseconds / tokens
    this.#msPerToken = this.#msPerToken === null ? price : 0.7 * this.#msPerToken + 0.3 * price
  }
}
