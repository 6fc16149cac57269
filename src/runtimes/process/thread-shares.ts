/** An engine that computes on the processor, as the sharing sees it. */
export interface ThreadTaker {
  /** Threads it may compute with from now on. */
  useThreads(count: number): void
}

/**
 * Shares the processor's threads among the engines that are at work, evenly, with one thread at least; an engine that works alone gets all. Two engines with a thread
 * per core each would wait for one another in every batch.
 */
export class ThreadShares {
  readonly #total: number
  readonly #working = new Set<ThreadTaker>()
  /** The last number sent to each; they start with all. */
  readonly #reported = new WeakMap<ThreadTaker, number>()

  constructor(total: number) {
    this.#total = total
  }

  /** Notes that an engine began or ended its work; to be called before its work is sent. */
  note(taker: ThreadTaker, working: boolean): void {
    if (working) this.#working.add(taker)
    else this.#working.delete(taker)
    const share = Math.max(1, Math.floor(this.#total / Math.max(1, this.#working.size)))
    for (const each of this.#working) {
      if ((this.#reported.get(each) ?? this.#total) === share) continue
      this.#reported.set(each, share)
      each.useThreads(share)
    }
  }
}
