import type { Clock } from '../core/ports/clock.ts'
import { type Abortable, firstOf } from '../core/waiting.ts'

/** Wakes all waiters for work; a notification without a waiter is kept for the next one. */
export class WorkSignal {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #notified = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  notify(): void {
    this.#notified = this.#waiting.size === 0
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Resolves at the next notification, or after `timeoutMs`. */
  async wait(timeoutMs: number, { signal }: Abortable): Promise<void> {
    signal.throwIfAborted()
    if (this.#notified) {
      this.#notified = false
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    try {
      await firstOf(
        signal,
        () => promise,
        (either) => this.#clock.wait(timeoutMs, { signal: either }),
      )
    } finally {
      this.#waiting.delete(resolve)
    }
  }
}
