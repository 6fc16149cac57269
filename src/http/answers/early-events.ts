import type { Clock } from '../../core/ports/clock.ts'

/** Longest silence before a stream's first event, in milliseconds. */
export const silentMs = 5000
/** Longest silence between later events, in milliseconds. */
const pingMs = 10_000

/**
 * Whether a promise is still pending when the stream has to begin. A promise that fails earlier throws its reason.
 *
 * @param dueAt When that is, by the steady time of the clock.
 */
export async function isLate(clock: Clock, first: Promise<unknown>, dueAt = clock.steadyNow() + silentMs): Promise<boolean> {
  const leftMs = dueAt - clock.steadyNow()
  if (leftMs <= 0) return true
  const stop = new AbortController()
  const late = Symbol('late')
  try {
    return (await Promise.race([first, clock.wait(leftMs, { signal: stop.signal }).then(() => late)])) === late
  } finally {
    // Without a reason of its own, it would capture a stack: five of its eight microseconds.
    stop.abort('in time')
  }
}

/** A stream's sign of life during silence. */
export interface Ping {
  /** A comment, or an event without meaning. */
  readonly text: string
  /** Whether the client has waited for five seconds when the stream begins; absent = it has not. */
  readonly isDue?: boolean
}

/** Writes a ping whenever a stream has said nothing for ten seconds, for five at its beginning, until disposed of. */
export class Pings implements Disposable {
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #dueAt: number

  constructor({ clock, write }: { readonly clock: Clock; readonly write: (text: string) => void }, { text, isDue = false }: Ping) {
    this.#clock = clock
    this.#dueAt = clock.steadyNow() + (isDue ? 0 : silentMs)
    // It ends by being disposed of, and by nothing else.
    this.#repeat(() => write(text)).catch(() => {})
  }

  /** Takes note of an event. */
  noteEvent(): void {
    this.#dueAt = this.#clock.steadyNow() + pingMs
  }

  [Symbol.dispose](): void {
    this.#stop.abort('ended')
  }

  async #repeat(write: () => void): Promise<never> {
    for (;;) {
      await this.#clock.wait(Math.max(0, this.#dueAt - this.#clock.steadyNow()), this.#stop)
      if (this.#clock.steadyNow() < this.#dueAt) continue
      write()
      this.noteEvent()
    }
  }
}
