import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { neverAborted } from '../../core/waiting.ts'

/** Spare places that a process reserves, as a share of the total, so that not every place needs a call to the store. */
const spareShare = 0.05
/** How long unused places stay reserved. */
const reservedMs = 2000
/** How long a refusal is cached, so that many requests over the limit do not each call the store. */
const fullMs = 500

/** The places of one subject that this process has reserved, and how many of them are in use. */
export class ReservedPlaces {
  readonly #counts: SharedCounts
  readonly #subject: string
  readonly #onUnused: () => void
  /** The limit over all processes; the latest one passed counts. */
  #most = 0
  #kept = 0
  #taken = 0
  #fullUntil = Number.NEGATIVE_INFINITY
  #lingering = false
  /** Changes of the reserved number, one after the other. */
  #changing: Promise<void> = Promise.resolve()
  #waiting = 0

  /** @param onUnused Called when no place is reserved and no caller waits. */
  constructor(counts: SharedCounts, subject: string, onUnused: () => void) {
    this.#counts = counts
    this.#subject = subject
    this.#onUnused = onUnused
  }

  /**
   * Takes a place until it is disposed of; null when none is free.
   *
   * @param most The limit over all processes.
   */
  async take(most: number): Promise<Disposable | null> {
    this.#most = most
    if (!this.#takeKept()) {
      // Taken in the same turn in which it is reserved; otherwise the next waiting caller would count it too.
      let isTaken = false
      await this.#change(
        () => (this.#taken < this.#kept ? this.#kept : this.#taken + 1 + this.#spare),
        () => {
          isTaken = this.#takeKept()
        },
      )
      if (!isTaken) return null
    }
    let mine = true
    return {
      [Symbol.dispose]: () => {
        if (!mine) return
        mine = false
        this.#taken -= 1
        this.#linger()
      },
    }
  }

  #takeKept(): boolean {
    if (this.#taken >= Math.min(this.#kept, this.#most)) return false
    this.#taken += 1
    return true
  }

  get #spare(): number {
    return Math.max(0, Math.floor(this.#most * spareShare) - 1)
  }

  /** Reserves another number after earlier changes are done, and runs `then` before later ones. */
  async #change(decide: () => number, then = () => {}): Promise<void> {
    this.#waiting += 1
    const keep = async () => {
      const places = Math.min(this.#most, decide())
      if (places === this.#kept || (places > this.#kept && performance.now() < this.#fullUntil)) return
      this.#kept = await this.#counts.keepPlaces({ subject: this.#subject, places, limit: this.#most }, neverAborted)
      if (this.#kept < places) this.#fullUntil = performance.now() + fullMs
    }
    const changed = this.#changing.then(keep).then(then)
    this.#changing = changed.catch(() => {})
    try {
      await changed
    } finally {
      this.#waiting -= 1
    }
  }

  /** Releases places that stay unused. */
  #linger(): void {
    if (this.#lingering) return
    this.#lingering = true
    // At shutdown the process releases everything at once, so the timer need not keep it alive.
    setTimeout(() => void this.#giveBack(), reservedMs).unref()
  }

  async #giveBack(): Promise<void> {
    this.#lingering = false
    try {
      await this.#change(() => (this.#taken === 0 ? 0 : Math.min(this.#kept, this.#taken + this.#spare)))
    } catch {
      // The store is unavailable; the next round tries again.
    }
    if (this.#kept === 0 && this.#waiting === 0) this.#onUnused()
    else if (this.#kept > this.#taken + this.#spare || this.#taken === 0) this.#linger()
  }
}
