import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import { LogprobLedger } from './logprob-ledger.ts'
import { StopMatcher } from './stop-matcher.ts'
import { Utf8Holder } from './utf8-holder.ts'

/** Text that may be shown now. */
export interface ShownText {
  readonly text: string
  readonly logprobs: readonly TokenLogprob[]
  readonly stopped: boolean
}

/** Turns one choice's tokens into text: whole characters only, and nothing of a stop string. */
export class ChoiceText {
  readonly #vocabulary: Vocabulary
  readonly #utf8 = new Utf8Holder()
  readonly #stops: StopMatcher
  readonly #ledger: LogprobLedger
  #written = 0
  #shown = 0

  constructor(vocabulary: Vocabulary, stops: readonly string[]) {
    this.#vocabulary = vocabulary
    this.#stops = new StopMatcher(stops)
    this.#ledger = new LogprobLedger(vocabulary)
  }

  add(token: number, logprobs: DrawnLogprobs | null): ShownText {
    if (logprobs !== null) this.#ledger.add(this.#written, token, logprobs)
    const fragment = this.#utf8.add(this.#vocabulary.piece(token))
    this.#written += fragment.length
    const { text, stopped } = this.#stops.add(fragment)
    this.#shown += text.length
    return { text, logprobs: logprobs === null ? [] : this.#ledger.take(this.#shown), stopped }
  }

  /** What was held back, once the last token has come; an unfinished character is dropped. */
  flush(): ShownText {
    const text = this.#stops.flush()
    return { text, logprobs: this.#ledger.take(Number.POSITIVE_INFINITY), stopped: false }
  }
}
