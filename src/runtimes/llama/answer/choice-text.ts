import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Piece, Vocabulary } from '../binding/vocabulary.ts'
import { describeLogprobs, TokenLedger } from './token-ledger.ts'

/** Reported data of a text's tokens. */
export interface ReportedTokens {
  readonly logprobs: readonly TokenLogprob[]
  /** Token ids; empty unless requested. */
  readonly tokens: readonly number[]
}

/** Turns one choice's tokens into text, whole characters only, and holds back their report until the text is shown. */
export class ChoiceText {
  readonly #vocabulary: Vocabulary
  readonly #tellsTokens: boolean
  readonly #utf8 = new Utf8Holder()
  readonly #logprobs = new TokenLedger<TokenLogprob>()
  readonly #tokens = new TokenLedger<number>()
  #written = 0

  constructor(vocabulary: Vocabulary, tellsTokens: boolean) {
    this.#vocabulary = vocabulary
    this.#tellsTokens = tellsTokens
  }

  add(token: number, logprobs: DrawnLogprobs | null): string {
    if (logprobs !== null) this.#logprobs.add(this.#written, describeLogprobs(this.#vocabulary, token, logprobs))
    if (this.#tellsTokens) this.#tokens.add(this.#written, token)
    const fragment = this.#utf8.add(this.#vocabulary.piece(token))
    this.#written += fragment.length
    return fragment
  }

  /**
   * Takes the report of tokens whose text is decided.
   *
   * @param held Characters at the end that may still become something else.
   */
  takeReported(held: number): ReportedTokens {
    return this.#take(this.#written - held)
  }

  takeAllReported(): ReportedTokens {
    return this.#take(Number.POSITIVE_INFINITY)
  }

  #take(shown: number): ReportedTokens {
    return { logprobs: this.#logprobs.take(shown), tokens: this.#tokens.take(shown) }
  }
}

/** Joins pieces into text, holding back incomplete UTF-8 characters. */
export class Utf8Holder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #unfinished = false

  /** The text that became whole with this piece; may be empty. */
  add(piece: Piece): string {
    if (piece.bytes.length === 0) return ''
    if (piece.text !== null && !this.#unfinished) return piece.text
    this.#unfinished = piece.text === null
    return this.#decoder.decode(piece.bytes, { stream: true })
  }
}
