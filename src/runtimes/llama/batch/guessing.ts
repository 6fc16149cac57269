import type { RunningGeneration } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

/** How often the guesses for one text were right. */
export interface GuessTally {
  /** The probability that a guessed token is right when those before it were. */
  readonly rate: number
  note(guessed: number, right: number): void
}

/** Guesses the next tokens of running texts, so that one batch checks several. */
export interface Guessing {
  /** The tally of a text that begins. */
  openRecord(): GuessTally
  /** Sets every running text's guess. */
  guess(running: readonly RunningGeneration[], table: SequenceTable): Promise<void>
  /** Notes how long a batch of decoding texts took. */
  note(tokens: number, ms: number): void
}
