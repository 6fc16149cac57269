import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { neverAborted } from '../../core/waiting.ts'

/** What a process asks for at once, of the minute that all share: a twentieth, so that what one has and does not use is missed by nobody. */
const shareOfMinute = 0.05

/** What one process has of a subject's minute: it takes some at a time, and hands it out one by one. */
export class MinuteShare {
  readonly #counts: SharedCounts
  readonly #place: { readonly subject: string; readonly minute: number; readonly limit: number }
  #held = 0
  /** What the minute had left when this process last took some. */
  #left = 0
  #over = false
  #taking: Promise<void> | null = null

  constructor(counts: SharedCounts, place: { readonly subject: string; readonly minute: number; readonly limit: number }) {
    this.#counts = counts
    this.#place = place
  }

  get limit(): number {
    return this.#place.limit
  }

  /**
   * Hands out one.
   *
   * @returns What is left after it; −1 when there was none left.
   */
  async use(): Promise<number> {
    while (this.#held === 0) {
      if (this.#over) return -1
      this.#taking ??= this.#take().finally(() => {
        this.#taking = null
      })
      await this.#taking
    }
    this.#held -= 1
    return this.#held + this.#left
  }

  async #take(): Promise<void> {
    const wanted = Math.max(1, Math.floor(this.#place.limit * shareOfMinute))
    const { granted, left } = await this.#counts.takeOfMinute({ ...this.#place, wanted }, neverAborted)
    this.#held += granted
    this.#left = left
    this.#over = granted === 0
  }
}
