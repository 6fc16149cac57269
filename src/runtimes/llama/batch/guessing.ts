import type { GuessTally } from './guess-tally.ts'
import type { RunningGeneration } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

/** Guesses the next tokens of running texts, so that one batch checks several. */
export interface Guessing {
  /** The tally of a text that begins. */
  openRecord(): GuessTally
  /** Sets every running text's guess. */
  guess(running: readonly RunningGeneration[], table: SequenceTable): Promise<void>
  /** Notes how long a batch of decoding texts took. */
  note(tokens: number, ms: number): void
}
