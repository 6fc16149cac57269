import type { FromEngine } from './engine-messages.ts'

/** Maximum delay of a token for batching messages: half a frame of a screen. */
export const holdMs = 8

/** Messages that are worth the journey at once. */
const fullLoad = 16

/** Clock and destination of a gatherer. */
export interface Outlet {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Calls back once this turn of the event loop is over. */
  soon(call: () => void): void
  later(call: () => void, ms: number): Disposable
  send(messages: readonly FromEngine[]): void
}

/**
 * Lets messages travel together: those of one turn of the event loop, and tokens that follow one another within {@link holdMs}. A process that wakes up for a single token
 * finds its code pushed out of the processor's cache; that costs more than the token. A first token or an end is sent at once.
 */
export class MessageGatherer {
  readonly #outlet: Outlet
  #held: FromEngine[] = []
  #sentAt = Number.NEGATIVE_INFINITY
  #leaving = false
  #timer: Disposable | null = null

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  add(message: FromEngine): void {
    this.#held.push(message)
    if (this.#leaving) return
    const waitMs = mayWait(message) && this.#held.length < fullLoad ? this.#sentAt + holdMs - this.#outlet.now() : 0
    if (waitMs <= 0) {
      this.#leaving = true
      this.#outlet.soon(() => this.#send())
    } else this.#timer ??= this.#outlet.later(() => this.#send(), waitMs)
  }

  #send(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = null
    this.#leaving = false
    const messages = this.#held
    this.#held = []
    this.#sentAt = this.#outlet.now()
    if (messages.length > 0) this.#outlet.send(messages)
  }
}

/** Whether a part only continues text; the first and last parts of a stream contain more. */
function mayWait(message: FromEngine): boolean {
  if (message.type !== 'part') return false
  const { type } = message.part
  return type === 'text' || type === 'thoughts' || type === 'tool-arguments'
}
