import type { ByteArrows } from './byte-arrows.ts'

/** State of an answer in a grammar: all possible parses of the text so far. */
export interface GrammarState {
  /** Whether the answer may end here. */
  readonly complete: boolean
  readonly arrows: ByteArrows
  readonly next: Map<number, GrammarState>
}
