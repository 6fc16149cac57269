import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { TextPart } from '../core/text-generation.ts'
import type { WorkEvent } from '../core/work-event.ts'

/** Tells how long the prompt of a text, its first token and the others took; disposing it tells how long the text was written. */
export class TextTimer implements Disposable {
  readonly #clock: Clock
  readonly #onWork: (event: WorkEvent) => void
  readonly #model: string
  readonly #requestedAt: number
  readonly #startedAt: number
  readonly #lastOf = new Map<number, number>()
  #firstAt: number | null = null
  #lastAt: number

  /** @param work.requestedAt When the request came in, before it waited for a slot. */
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
 * Draws, and reports how long the texts with the first step, each later step, and what follows the last one took. Several pictures of one request
 * move on together or one after another; their steps count as one row.
 */
export async function timeImage(
  { clock, onWork }: { readonly clock: Clock; readonly onWork?: (event: WorkEvent) => void },
  { model, onProgress }: { readonly model: string; readonly onProgress: (progress: ImageProgress) => void },
  draw: (onProgress: (progress: ImageProgress) => void) => Promise<ImageResult>,
): Promise<ImageResult> {
  if (onWork === undefined) return draw(onProgress)
  const startedAt = clock.now()
  let last = { at: startedAt, step: Number.POSITIVE_INFINITY }
  const result = await draw((progress) => {
    const at = clock.now()
    const { step } = progress
    if (step > last.step) onWork({ type: 'step', model, ms: (at - last.at) / (step - last.step) })
    last = { at, step }
    onProgress(progress)
  })
  onWork({ type: 'phase', name: 'steps', model, startedAt, endedAt: last.at })
  onWork({ type: 'phase', name: 'vae', model, startedAt: last.at, endedAt: clock.now() })
  return result
}
