/** A running text, as a guesser sees it. */
export interface GuessedText {
  /** The sequence it runs on. */
  readonly id: number
  readonly account: string
  /** Prompt and answer so far. */
  readonly tokens: readonly number[]
}

/**
 * Chooses the number of tokens to guess for each text.
 *
 * @param reach Maximum for all of them.
 * @param msPerToken Time for guessing one more token for all of them.
 */
export type ChooseLength = (reach: number, msPerToken: number) => number

/** Guesses the next tokens of texts. */
export interface Guesser extends AsyncDisposable {
  /** @returns A guess for each text, none longer than the chosen length. */
  guess(texts: readonly GuessedText[], choose: ChooseLength): Promise<readonly Uint32Array[]>
}
