import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import { LogprobLedger } from './logprob-ledger.ts'
import { Utf8Holder } from './utf8-holder.ts'

/** Turns one choice's tokens into text, whole characters only, and holds their log probabilities back until it is shown. */
export class ChoiceText {
  readonly #vocabulary: Vocabulary
  readonly #utf8 = new Utf8Holder()
  readonly #ledger: LogprobLedger
  #written = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#ledger = new LogprobLedger(vocabulary)
  }

  /** The text that a token completes. */
  add(token: number, logprobs: DrawnLogprobs | null): string {
    if (logprobs !== null) this.#ledger.add(this.#written, token, logprobs)
    const fragment = this.#utf8.add(this.#vocabulary.piece(token))
    this.#written += fragment.length
    return fragment
  }

  /**
   * Takes the log probabilities of tokens whose text is decided.
   *
   * @param held Characters at the end that may still become something else.
   */
  takeLogprobs(held: number): readonly TokenLogprob[] {
    return this.#ledger.take(this.#written - held)
  }

  takeAllLogprobs(): readonly TokenLogprob[] {
    return this.#ledger.take(Number.POSITIVE_INFINITY)
  }
}
