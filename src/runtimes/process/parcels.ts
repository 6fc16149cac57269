import type { FromEngine } from './engine-messages.ts'

/**
 * A transfer from an engine: a message, or a run of text parts as `id, choice, text, id, choice, text, …`, since serializing field names
 * for every part takes several times as long as its text.
 */
export type Parcel = FromEngine | readonly (number | string)[]

/** Packs messages, in order. */
export function pack(messages: readonly FromEngine[]): readonly Parcel[] {
  const parcels: Parcel[] = []
  let run: (number | string)[] | null = null
  for (const message of messages) {
    if (
      message.type === 'part' &&
      message.part.type === 'text' &&
      message.part.logprobs === undefined &&
      message.part.tokens === undefined
    ) {
      if (run === null) {
        run = []
        parcels.push(run)
      }
      run.push(message.id, message.part.choice, message.part.text)
    } else {
      run = null
      parcels.push(message)
    }
  }
  return parcels
}

/** Hands over the messages that were packed, in order. */
export function unpack(parcels: readonly Parcel[], receive: (message: FromEngine) => void): void {
  for (const parcel of parcels) {
    if (!isRun(parcel)) receive(parcel)
    else
      for (let at = 0; at < parcel.length; at += 3)
        receive({
          type: 'part',
          id: Number(parcel[at]),
          part: { type: 'text', choice: Number(parcel[at + 1]), text: String(parcel[at + 2]) },
        })
  }
}

function isRun(parcel: Parcel): parcel is readonly (number | string)[] {
  return Array.isArray(parcel)
}

/** Maximum delay of a token for batching messages: two frames of a screen. */
export const holdMs = 33

/** Messages that are worth the journey at once. */
const fullLoad = 64

/** Clock and destination of a gatherer. */
interface Outlet {
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
