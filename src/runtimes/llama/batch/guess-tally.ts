/** Accepted and drafted tokens of one text. */
export interface GuessTally {
  /** The probability that a guessed token is right when those before it were. */
  readonly rate: number
  note(guessed: number, right: number): void
}
