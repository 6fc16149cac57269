import type { TokenLogprob, UnscoredToken } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'

/** Holds back the report of tokens until their text is shown. */
export class TokenLedger<Reported> {
  #waiting: { readonly start: number; readonly reported: Reported }[] = []

  /** @param start Length of the whole text before this token. */
  add(start: number, reported: Reported): void {
    this.#waiting.push({ start, reported })
  }

  /** Takes the entries of tokens that begin before `shown` characters. */
  take(shown: number): readonly Reported[] {
    if (this.#waiting.length === 0) return []
    const taken = this.#waiting.filter((entry) => entry.start < shown)
    this.#waiting = this.#waiting.filter((entry) => entry.start >= shown)
    return taken.map(({ reported }) => reported)
  }
}

/** Log probabilities in words. */
export function describeLogprobs(vocabulary: Vocabulary, token: number, { logprob, top }: DrawnLogprobs): TokenLogprob {
  const alternatives = top.map((entry) => ({ ...describeToken(vocabulary, entry.token), logprob: entry.logprob }))
  return { ...describeToken(vocabulary, token), logprob, top: alternatives }
}

/** A token in words; one that is only part of a character has bytes of its own all the same. */
export function describeToken(vocabulary: Vocabulary, token: number): UnscoredToken {
  const { bytes } = vocabulary.piece(token)
  return { id: token, token: Buffer.from(bytes).toString('utf8'), bytes: [...bytes] }
}
