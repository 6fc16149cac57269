import type { Clock } from '../core/ports/clock.ts'

/** A timer that can be moved to an earlier time cheaply; a later time is set again when it fires. */
export class Alarm implements Disposable {
  readonly #clock: Clock
  readonly #onTime: () => void
  #due = Number.POSITIVE_INFINITY
  #stop = new AbortController()

  constructor(clock: Clock, onTime: () => void) {
    this.#clock = clock
    this.#onTime = onTime
  }

  /** @param due By the steady time of the clock; Infinity for never. */
  set(due: number): void {
    if (due >= this.#due) return
    this[Symbol.dispose]()
    this.#due = due
    this.#stop = new AbortController()
    this.#clock.wait(Math.max(1, due - this.#clock.steadyNow()), { signal: this.#stop.signal }).then(
      () => {
        this.#due = Number.POSITIVE_INFINITY
        this.#onTime()
      },
      () => {},
    )
  }

  [Symbol.dispose](): void {
    this.#due = Number.POSITIVE_INFINITY
    this.#stop.abort()
  }
}
