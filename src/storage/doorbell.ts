import type { Clock } from '../core/ports/clock.ts'
import { firstOf } from '../core/waiting.ts'

/** Wakes whoever waits for work; a ring while nobody waits is kept for the next one. */
export class Doorbell {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #rung = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung = this.#waiting.size === 0
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Resolves at the next ring, or after `timeoutMs`. */
  async wait(timeoutMs: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    signal.throwIfAborted()
    if (this.#rung) {
      this.#rung = false
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
