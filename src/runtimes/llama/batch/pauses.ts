import { setImmediate, setTimeout } from 'node:timers/promises'

/** Threads that compute on every core would keep a first token from its reader for some 10 ms; those who pass it on need less than this. */
const firstTokenMs = 1
/** At least so long after another: many short answers would otherwise stop at every batch. */
const apartMs = 20
/** Time for which batches may be computed on the event loop's thread without a pause for its events. */
const longestMs = 4

/** Pauses of the decode loop, in which tokens leave, and requests and cancellations arrive. */
export class Pauses {
  readonly #now: () => number
  #lastAt = Number.NEGATIVE_INFINITY
  #lastFirstAt = Number.NEGATIVE_INFINITY

  /** @param now Milliseconds on a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Leaves the processor to the readers of first tokens, unless it did so a moment ago. */
  async afterFirstTokens(): Promise<void> {
    if (this.#now() - this.#lastFirstAt < apartMs) return
    await setTimeout(firstTokenMs)
    this.#lastFirstAt = this.#now()
    this.#lastAt = this.#lastFirstAt
  }

  /** Lets the events of this thread be handled, unless they were a moment ago. */
  async ifDue(): Promise<void> {
    if (this.#now() - this.#lastAt < longestMs) return
    await setImmediate() // tokens leave
    await setImmediate() // requests and cancellations arrive
    this.#lastAt = this.#now()
  }
}
