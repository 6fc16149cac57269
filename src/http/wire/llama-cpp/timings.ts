import Type from 'typebox'
import type { Clock } from '../../../core/ports/clock.ts'
import type { TextPart, TokenUsage } from '../../../core/text-generation.ts'
import type { Answer } from '../answer.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const speed = Type.Number({ description: 'Tokens per second.' })

/** The duration of an answer, as its caller experienced it. */
export const timingsSchema = Type.Object({
  cache_n: count('Tokens of the prompt that were cached.'),
  prompt_n: count('Tokens of the prompt that were read.'),
  prompt_ms: Type.Number({ description: 'Time until the prompt was read, including the wait for a slot.' }),
  prompt_per_token_ms: Type.Number(),
  prompt_per_second: speed,
  predicted_n: count('Tokens of the answer.'),
  predicted_ms: Type.Number({ description: 'From there to the end.' }),
  predicted_per_token_ms: Type.Number(),
  predicted_per_second: speed,
})

/** Measures one answer from the parts that pass through. */
export class NativeTimer {
  readonly #clock: Pick<Clock, 'now'>
  readonly #startedAt: number
  #promptAt: number | null = null
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** The usage so far; exact at the end. */
  get usage(): TokenUsage {
    return this.#usage
  }

  note(part: TextPart): void {
    if (part.type === 'prompt') this.#usage = { ...part.usage, completionTokens: 0 }
    else if (part.type === 'finish') this.#usage = part.usage
    else if (part.type === 'text')
      this.#usage = { ...this.#usage, completionTokens: this.#usage.completionTokens + (part.tokens?.length ?? 1) }
    this.#promptAt ??= this.#clock.now()
  }

  timings(): Answer<typeof timingsSchema> {
    const { promptTokens, cachedTokens, completionTokens: written } = this.#usage
    const now = this.#clock.now()
    const promptAt = this.#promptAt ?? now
    const read = Math.max(0, promptTokens - cachedTokens)
    const [promptMs, writtenMs] = [promptAt - this.#startedAt, now - promptAt]
    return {
      cache_n: cachedTokens,
      prompt_n: read,
      prompt_ms: promptMs,
      prompt_per_token_ms: ratio(promptMs, read),
      prompt_per_second: ratio(1000 * read, promptMs),
      predicted_n: written,
      predicted_ms: writtenMs,
      predicted_per_token_ms: ratio(writtenMs, written),
      predicted_per_second: ratio(1000 * written, writtenMs),
    }
  }
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
