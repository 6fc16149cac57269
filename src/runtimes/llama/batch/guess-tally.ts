/** How often the guesses for one text were right. */
export interface GuessTally {
  /** The probability that a guessed token is right when those before it were. */
  readonly rate: number
  note(guessed: number, right: number): void
}
