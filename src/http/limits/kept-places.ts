import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { neverAborted } from '../../core/waiting.ts'

/** What a process keeps beyond those that are taken, so that not every place is a question to the store: a twentieth of all. */
const spareShare = 0.05
/** How long places that are not taken are kept for the next. */
const lingerMs = 2000
/** How long a no is believed: asking again for each of many that come too many would help nobody. */
const fullMs = 500

/** The places of one subject that this process keeps, and how many of them are taken. */
export class KeptPlaces {
  readonly #counts: SharedCounts
  readonly #subject: string
  readonly #onUnused: () => void
  /** As many as all processes together may take; the latest word counts. */
  #most = 0
  #kept = 0
  #taken = 0
  #fullUntil = Number.NEGATIVE_INFINITY
  #lingering = false
  /** Changes of what is kept, one after the other. */
  #changing: Promise<void> = Promise.resolve()
  #waiting = 0

  /** @param onUnused Called when it keeps nothing any more and nobody waits. */
  constructor(counts: SharedCounts, subject: string, onUnused: () => void) {
    this.#counts = counts
    this.#subject = subject
    this.#onUnused = onUnused
  }

  /**
   * A place until it is disposed of; null when there is none.
   *
   * @param most How many all processes together may take.
   */
  async take(most: number): Promise<Disposable | null> {
    this.#most = most
    if (!this.#takeKept()) {
      // Taken in the same turn as it is kept, or who waits behind would count on it too.
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

  /** Keeps another number, once earlier changes are done, and does what belongs to that before later ones. */
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

  /** Gives back what nobody takes for a while. */
  #linger(): void {
    if (this.#lingering) return
    this.#lingering = true
    // A process that ends gives everything back at once; nobody needs to wait for this.
    setTimeout(() => void this.#giveBack(), lingerMs).unref()
  }

  async #giveBack(): Promise<void> {
    this.#lingering = false
    try {
      await this.#change(() => (this.#taken === 0 ? 0 : Math.min(this.#kept, this.#taken + this.#spare)))
    } catch {
      // The store is away; the next round tries again.
    }
    if (this.#kept === 0 && this.#waiting === 0) this.#onUnused()
    else if (this.#kept > this.#taken + this.#spare || this.#taken === 0) this.#linger()
  }
}
