import type { GrammarState } from './byte-arrows.ts'
import { Effort } from './effort.ts'
import { GrammarStates } from './grammar-states.ts'
import type { TokenTrie } from './token-trie.ts'

/** The part of a vocabulary that a grammar is about. */
export interface SpelledTokens {
  readonly trie: TokenTrie
  /** Bytes of a token; empty = it may never come. */
  spell(token: number): Uint8Array
  readonly ends: readonly number[]
}

/** The shortest way to complete a text: the tokens, and the state after them. */
export interface Ending {
  readonly tokens: readonly number[]
  readonly state: GrammarState
}

/** Maximum number of cached masks; all are dropped when it is reached. */
const maxMasks = 128
/** To read a grammar's beginning. */
const startEffort = 400_000
/** A look at a token's byte where the way is known. */
const knownByte = 1 / 8

/** A grammar over a vocabulary's tokens; its caches are shared by all texts that follow it. */
export class TokenGrammar {
  readonly tokens: SpelledTokens
  readonly start: GrammarState
  readonly #states: GrammarStates
  readonly #masks = new Map<GrammarState, Uint8Array>()

  /** @throws {GrammarFault | EffortSpent} when the grammar cannot be followed. */
  constructor(text: string, tokens: SpelledTokens) {
    this.tokens = tokens
    this.#states = new GrammarStates(text)
    this.start = this.#states.start(new Effort(startEffort))
  }

  /** State after a token; null = not allowed. */
  advance(state: GrammarState, token: number, effort: Effort): GrammarState | null {
    const bytes = this.tokens.spell(token)
    if (bytes.length === 0) return null
    let reached: GrammarState | null = state
    for (const byte of bytes) {
      reached = this.#states.advance(reached, byte, effort)
      if (reached === null) return null
    }
    return reached
  }

  forbidden(state: GrammarState, effort: Effort): Uint32Array {
    const mask = this.#mask(state, effort)
    const forbidden = new Uint32Array(this.tokens.trie.size)
    let count = 0
    for (let token = 0; token < forbidden.length; token++)
      if (((mask[token >> 3] ?? 0) & (1 << (token & 7))) === 0) forbidden[count++] = token
    return forbidden.subarray(0, count)
  }

  /** Maximum tokens needed to complete the text: the bytes of its shortest ending. */
  missing(state: GrammarState): number {
    return this.#states.endings.missing(state)
  }

  /** The shortest ending in few tokens, and where it leads; null = there is none, or the vocabulary cannot spell it. */
  ending(state: GrammarState, effort: Effort): Ending | null {
    const bytes: number[] = []
    let reached: GrammarState | null = state
    for (let byte = this.#states.endings.next(state); byte !== null && reached !== null; byte = this.#states.endings.next(reached)) {
      bytes.push(byte)
      reached = this.#states.advance(reached, byte, effort)
      if (reached === null) return null
    }
    const tokens = this.tokens.trie.spell(bytes)
    return tokens === null || reached?.complete !== true ? null : { tokens, state: reached }
  }

  /** A bit per token: whether it may come. */
  #mask(state: GrammarState, effort: Effort): Uint8Array {
    const known = this.#masks.get(state)
    if (known !== undefined) return known
    const mask = new Uint8Array(Math.ceil(this.tokens.trie.size / 8))
    const allow = (token: number): void => {
      mask[token >> 3] = (mask[token >> 3] ?? 0) | (1 << (token & 7))
    }
    const enter = (from: GrammarState, byte: number): GrammarState | null => {
      effort.spend(knownByte)
      return this.#states.advance(from, byte, effort)
    }
    this.tokens.trie.walk(state, enter, allow)
    if (state.complete) for (const end of this.tokens.ends) allow(end)
    if (this.#masks.size >= maxMasks) this.#masks.clear()
    this.#masks.set(state, mask)
    return mask
  }
}
