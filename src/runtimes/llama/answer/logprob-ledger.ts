import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'

/** Holds log probabilities back until the text their tokens belong to is shown. */
export class LogprobLedger {
  readonly #vocabulary: Vocabulary
  #waiting: { readonly start: number; readonly logprob: TokenLogprob }[] = []

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** @param start Length of the whole text before this token. */
  add(start: number, token: number, { logprob, top }: DrawnLogprobs): void {
    const alternatives = top.map((entry) => ({ ...this.#describe(entry.token), logprob: entry.logprob }))
    this.#waiting.push({ start, logprob: { ...this.#describe(token), logprob, top: alternatives } })
  }

  /** Takes the entries of tokens that begin before `shown` characters. */
  take(shown: number): readonly TokenLogprob[] {
    const taken = this.#waiting.filter((entry) => entry.start < shown)
    this.#waiting = this.#waiting.filter((entry) => entry.start >= shown)
    return taken.map((entry) => entry.logprob)
  }

  #describe(token: number): { readonly token: string; readonly bytes: readonly number[] } {
    const { bytes } = this.#vocabulary.piece(token)
    return { token: Buffer.from(bytes).toString('utf8'), bytes: [...bytes] }
  }
}
