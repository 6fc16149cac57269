import type { ByteArrows } from './byte-arrows.ts'

/** Where an answer may stand in a grammar: every way to read what has been written, at once. */
export interface GrammarState {
  /** Whether the answer may end here. */
  readonly complete: boolean
  readonly arrows: ByteArrows
  readonly next: Map<number, GrammarState>
}
