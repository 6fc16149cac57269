import type { ImageProgress } from '../core/image-generation.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { TextPart } from '../core/text-generation.ts'
import type { WorkEvent } from '../core/work-event.ts'

/** Reports the times of a text's prompt, of its first token and of later ones; disposing it reports the total. */
export class TextTimer implements Disposable {
  readonly #clock: Clock
  readonly #onWork: (event: WorkEvent) => void
  readonly #model: string
  readonly #requestedAt: number
  readonly #startedAt: number
  readonly #lastOf = new Map<number, number>()
  #firstAt: number | null = null
  #lastAt: number

  /** @param work.requestedAt Time of the request, before it waited for a slot. */
  constructor(
    { clock, onWork }: { readonly clock: Clock; readonly onWork: (event: WorkEvent) => void },
    { model, requestedAt }: { readonly model: string; readonly requestedAt: number },
  ) {
    this.#clock = clock
    this.#onWork = onWork
    this.#model = model
    this.#requestedAt = requestedAt
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
    this.#onWork({ type: 'first-token', model, ms: now - this.#requestedAt })
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

/**
 * Reports the times of a drawing: the texts with the first step, each later step, and the decoding after the last. The steps of all
 * pictures in a request count as one sequence.
 */
export class ImageTimer {
  readonly #clock: Clock
  readonly #onWork: (event: WorkEvent) => void
  readonly #model: string
  readonly #startedAt: number
  #last: { readonly at: number; readonly step: number }

  constructor({ clock, onWork }: { readonly clock: Clock; readonly onWork: (event: WorkEvent) => void }, model: string) {
    this.#clock = clock
    this.#onWork = onWork
    this.#model = model
    this.#startedAt = clock.now()
    this.#last = { at: this.#startedAt, step: Number.POSITIVE_INFINITY }
  }

  note({ step }: Pick<ImageProgress, 'step'>): void {
    const at = this.#clock.now()
    if (step > this.#last.step) this.#onWork({ type: 'step', model: this.#model, ms: (at - this.#last.at) / (step - this.#last.step) })
    this.#last = { at, step }
  }

  /** Call when the drawing is complete. */
  end(): void {
    const stepsEndedAt = this.#last.at
    this.#onWork({ type: 'phase', name: 'steps', model: this.#model, startedAt: this.#startedAt, endedAt: stepsEndedAt })
    this.#onWork({ type: 'phase', name: 'vae', model: this.#model, startedAt: stepsEndedAt, endedAt: this.#clock.now() })
  }
}
