/** What all guesses of a model came to. */
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
