import type { TokenLogprob, UnscoredToken } from '../../../core/text-generation.ts'
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
    this.#waiting.push({ start, logprob: describeLogprobs(this.#vocabulary, token, { logprob, top }) })
  }

  /** Takes the entries of tokens that begin before `shown` characters. */
  take(shown: number): readonly TokenLogprob[] {
    const taken = this.#waiting.filter((entry) => entry.start < shown)
    this.#waiting = this.#waiting.filter((entry) => entry.start >= shown)
    return taken.map((entry) => entry.logprob)
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
  return { token: Buffer.from(bytes).toString('utf8'), bytes: [...bytes] }
}
