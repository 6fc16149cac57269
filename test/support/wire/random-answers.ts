import { Check } from 'typebox/schema'
import type { JsonObject } from '../../../src/core/json-value.ts'
import type { GrammarState } from '../../../src/runtimes/llama/automaton/byte-arrows.ts'
import { Effort } from '../../../src/runtimes/llama/automaton/effort.ts'
import { GrammarStates } from '../../../src/runtimes/llama/automaton/grammar-states.ts'

/** Whether a JSON text is valid under a schema, by a checker independent of ours. */
export function isValidUnder(schema: JsonObject, text: string): boolean {
  return Check(schema, JSON.parse(text))
}

/** Texts in a grammar, as a model with no mind of its own would write them. */
export class RandomAnswers {
  readonly #states: GrammarStates
  readonly #effort = new Effort(1_000_000_000)

  /** @param grammar GBNF with a rule `root`. */
  constructor(grammar: string) {
    this.#states = new GrammarStates(grammar)
  }

  /** Whether the grammar lets a text through. */
  allows(text: string): boolean {
    let state: GrammarState | null = this.#states.start(this.#effort)
    for (const byte of Buffer.from(text)) state = state === null ? null : this.#states.advance(state, byte, this.#effort)
    return state?.complete === true
  }

  /**
   * A whole text, the same one for each seed.
   *
   * @param longest Bytes after which it takes its shortest ending.
   */
  write(seed: number, longest = 400): string {
    const random = randomNumbers(seed)
    const written: number[] = []
    let state = this.#states.start(this.#effort)
    while (!state.complete || random(3) > 0) {
      const byte = written.length < longest ? this.#anyByte(state, random) : this.#states.endings.next(state)
      const next = byte === null ? null : this.#states.advance(state, byte, this.#effort)
      if (byte === null || next === null) break
      written.push(byte)
      state = next
    }
    return Buffer.from(written).toString()
  }

  #anyByte(state: GrammarState, random: (below: number) => number): number | null {
    const first = random(4) === 0 ? 0x22 : random(256)
    const bytes = [first, ...Array.from({ length: 256 }, (_, index) => (first + 1 + index * 7) % 256)]
    return bytes.find((candidate) => this.#states.advance(state, candidate, this.#effort) !== null) ?? null
  }
}

/** Numbers from 0 to `below`. @see Park and Miller 1988 */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
