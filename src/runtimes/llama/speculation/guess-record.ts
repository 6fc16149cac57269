/** Weight of the initially expected rate, in guesses. */
const expectedWeight = 2

/** Recent acceptance rate of guessed tokens. */
export class GuessRecord {
  readonly #expected: { readonly rate: number }
  readonly #fading: number
  readonly #whole: Pick<GuessRecord, 'note'> | null
  #right = 0
  #wrong = 0

  /**
   * @param expected What to count on before anything was guessed, and again when it was long ago.
   * @param fading What is left of a guess's weight after one batch.
   * @param whole The record that this one is a part of.
   */
  constructor(expected: { readonly rate: number }, fading: number, whole: Pick<GuessRecord, 'note'> | null = null) {
    this.#expected = expected
    this.#fading = fading
    this.#whole = whole
  }

  /** Probability that a guessed token is right when those before it were. */
  get rate(): number {
    return (this.#right + this.#expected.rate * expectedWeight) / (this.#right + this.#wrong + expectedWeight)
  }

  /** Notes one batch; `guessed` is 0 when nothing was guessed. */
  note(guessed: number, right: number): void {
    this.#right = this.#fading * this.#right + right
    this.#wrong = this.#fading * this.#wrong + (right < guessed ? 1 : 0)
    this.#whole?.note(guessed, right)
  }
}

/** Counts of all guesses of a model. */
export class GuessTotals {
  guesses = 0
  guessedTokens = 0
  rightTokens = 0

  /** Notes one text in one batch; `guessed` is 0 when nothing was guessed. */
  note(guessed: number, right: number): void {
    if (guessed > 0) this.guesses += 1
    this.guessedTokens += guessed
    this.rightTokens += right
  }
}
