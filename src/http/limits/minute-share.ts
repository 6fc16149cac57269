import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { neverAborted } from '../../core/waiting.ts'

/**
 * Share of a subject's minute that a process reserves at once. It is small, so that unused requests hardly reduce the limit of the others.
 */
const shareOfMinute = 0.05

/** A process's share of a subject's minute. It is reserved in parts and handed out one request at a time. */
export class MinuteShare {
  readonly #counts: SharedCounts
  readonly #place: { readonly subject: string; readonly minute: number; readonly limit: number }
  #held = 0
  /** The rest of the minute when this process last reserved some. */
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
   * Uses one request.
   *
   * @returns The number left afterwards; −1 when there was none left.
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
