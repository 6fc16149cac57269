import type { Vocabulary } from '../binding/vocabulary.ts'
import { JsonScanner } from './json-scanner.ts'
import type { OutputConstraint } from './output-constraint.ts'

/** Over every logit a model gives, and far from float32's limits. */
const force = 1000

/** Tokens to spare, for numbers and escapes that are under way. */
const slack = 8

/** Biases that end JSON as soon as its grammar allows. */
export interface ClosingBias {
  readonly tokens: readonly number[]
  readonly values: readonly number[]
}

/**
 * Sees to it that JSON is whole when its token limit comes: near the limit it pulls towards whatever closes strings,
 * lists and objects, while the grammar still asks for what is required.
 */
export class JsonCloser {
  #scanner = new JsonScanner()
  readonly #closingAfter: ReadonlyMap<string, number>
  #closingLength: number | null
  readonly #quote: ClosingBias
  readonly #close: ClosingBias
  #closing = false

  constructor(vocabulary: Vocabulary, { closingLength, closingAfter = new Map() }: OutputConstraint) {
    this.#closingLength = closingLength
    this.#closingAfter = closingAfter
    this.#quote = bias(vocabulary, [['"', force]])
    const close = bias(vocabulary, [
      ['}', force],
      [']', force],
      [',', force / 2],
      ['"', force / 4],
    ])
    const { ends } = vocabulary
    this.#close = { tokens: [...close.tokens, ...ends], values: [...close.values, ...ends.map(() => 2 * force)] }
  }

  /** Reads new output; returns the bias for the next token, or null while there is time. */
  next(fragment: string, tokensLeft: number): ClosingBias | null {
    if (this.#closingLength === null) return null
    const read = this.#scanner.add(fragment)
    if (!this.#scanner.open) {
      this.#scanner = new JsonScanner()
      this.#scanner.add(fragment.slice(read))
    }
    this.#closingLength = this.#closingAfter.get(this.#scanner.member ?? '') ?? this.#closingLength
    this.#closing ||= tokensLeft <= this.#closingLength + 2 * this.#scanner.depth + slack // a character may take a token
    if (!this.#closing) return null
    return this.#scanner.inString ? this.#quote : this.#close
  }
}

function bias(vocabulary: Vocabulary, wanted: readonly (readonly [text: string, value: number])[]): ClosingBias {
  const found = wanted.flatMap(([text, value]) => {
    const token = vocabulary.tokenize(text, { special: false }).at(-1)
    return token !== undefined && vocabulary.piece(token).text === text ? [{ token, value }] : []
  })
  return { tokens: found.map((entry) => entry.token), values: found.map((entry) => entry.value) }
}
