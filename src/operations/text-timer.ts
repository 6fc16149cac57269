import type { Clock } from '../core/ports/clock.ts'
import type { TextPart } from '../core/text-generation.ts'
import type { WorkEvent } from '../core/work-event.ts'

/** Tells how long the prompt of a text, its first token and the others took; disposing it tells how long the text was written. */
export class TextTimer implements Disposable {
  readonly #clock: Clock
  readonly #onWork: (event: WorkEvent) => void
  readonly #model: string
  readonly #askedAt: number
  readonly #startedAt: number
  readonly #lastOf = new Map<number, number>()
  #firstAt: number | null = null
  #lastAt: number

  /** @param work.askedAt When the request came in, before it waited for a slot. */
  constructor(
    { clock, onWork }: { readonly clock: Clock; readonly onWork: (event: WorkEvent) => void },
    { model, askedAt }: { readonly model: string; readonly askedAt: number },
  ) {
    this.#clock = clock
    this.#onWork = onWork
    this.#model = model
    this.#askedAt = askedAt
    this.#startedAt = clock.now()
    this.#lastAt = this.#startedAt
  }

  note(part: TextPart): void {
    if (!isToken(part)) return
    const now = this.#clock.now()
    const before = this.#lastOf.get(part.choice)
    this.#lastAt = now
    this.#lastOf.set(part.choice, now)
    const model = this.#model
    if (before !== undefined) this.#onWork({ type: 'next-token', model, ms: now - before })
    if (this.#firstAt !== null) return
    this.#firstAt = now
    this.#onWork({ type: 'first-token', model, ms: now - this.#askedAt })
    this.#onWork({ type: 'phase', name: 'prompt', model, startedAt: this.#startedAt, endedAt: now })
  }

  [Symbol.dispose](): void {
    if (this.#firstAt === null) return
    this.#onWork({ type: 'phase', name: 'decode', model: this.#model, startedAt: this.#firstAt, endedAt: this.#lastAt })
  }
}

function isToken(part: TextPart): part is Extract<TextPart, { type: 'text' | 'thoughts' | 'tool-call' | 'tool-arguments' }> {
  return part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-call' || part.type === 'tool-arguments'
}
