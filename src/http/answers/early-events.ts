import type { ServerResponse } from 'node:http'
import type { Clock } from '../../core/ports/clock.ts'

/** How long an answer may begin with nothing, and how long it may then say nothing. */
const [silentMs, pingMs] = [5000, 10_000]

/** Whether a promise is still pending when the stream has to begin. A promise that fails earlier throws its reason. */
export async function isLate(clock: Clock, first: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController()
  const late = Symbol('late')
  try {
    return (await Promise.race([first, clock.wait(silentMs, { signal: stop.signal }).then(() => late)])) === late
  } finally {
    stop.abort()
  }
}

/** What keeps a stream alive while nothing is said. */
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

  constructor({ raw, clock }: { readonly raw: ServerResponse; readonly clock: Clock }, { text, isDue = false }: Ping) {
    this.#clock = clock
    this.#dueAt = clock.now() + (isDue ? 0 : silentMs)
    // It ends by being disposed of, and by nothing else.
    this.#write(raw, text).catch(() => {})
  }

  /** Takes note of an event. */
  noteEvent(): void {
    this.#dueAt = this.#clock.now() + pingMs
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  async #write(raw: ServerResponse, text: string): Promise<never> {
    for (;;) {
      await this.#clock.wait(Math.max(0, this.#dueAt - this.#clock.now()), this.#stop)
      if (this.#clock.now() < this.#dueAt) continue
      // What the client has not taken yet says as much.
      if (!raw.writableNeedDrain) raw.write(text, 'latin1')
      this.noteEvent()
    }
  }
}
