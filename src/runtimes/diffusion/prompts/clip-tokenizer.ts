import { bytePairs } from './byte-pairs.ts'
import { escapePattern } from './escape-pattern.ts'

/** Ids of one text, without the start and end tokens. */
export type TokenIds = readonly number[]

const wordPattern = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu

/**
 * CLIP's byte-pair tokenizer. The special tokens are cut out of the text first, whatever they look like: with `!` as the padding token
 * (SDXL's second tokenizer) an exclamation mark in a prompt becomes the padding token, as in Hugging Face's tokenizers.
 */
export class ClipTokenizer {
  readonly startId: number
  readonly endId: number
  readonly padId: number
  /** Tokens an encoder takes at once, with start and end. */
  readonly maxLength: number
  readonly #vocabulary: ReadonlyMap<string, number>
  readonly #ranks: ReadonlyMap<string, number>
  readonly #unknownId: number
  readonly #special: RegExp
  readonly #words = new Map<string, TokenIds>()

  constructor(parts: TokenizerParts) {
    this.#vocabulary = parts.vocabulary
    this.#ranks = parts.ranks
    this.maxLength = parts.maxLength
    this.#unknownId = parts.vocabulary.get(parts.unknown) ?? 0
    this.startId = parts.vocabulary.get(parts.start) ?? this.#unknownId
    this.endId = parts.vocabulary.get(parts.end) ?? this.#unknownId
    this.padId = parts.vocabulary.get(parts.pad) ?? this.endId
    const escaped = [parts.start, parts.end, parts.pad, parts.unknown].map(escapePattern)
    this.#special = new RegExp(`(${[...new Set(escaped)].join('|')})`, 'u')
  }

  encode(text: string): TokenIds {
    // Splitting by a pattern with one group leaves the separators at the odd places.
    return text.split(this.#special).flatMap((piece, i) => {
      if (i % 2 === 1) return [this.#vocabulary.get(piece) ?? this.#unknownId]
      // Character by character, as Hugging Face's tokenizers do: no rule looks at the neighbours of a letter.
      const lower = Array.from(piece.normalize('NFC'), (character) => character.toLowerCase()).join('')
      const words = lower.match(wordPattern) ?? []
      return words.flatMap((word) => this.#encodeWord(word))
    })
  }

  #encodeWord(word: string): TokenIds {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const ids = bytePairs(word, this.#ranks).map((part) => this.#vocabulary.get(part) ?? this.#unknownId)
    if (this.#words.size < maxRememberedWords) this.#words.set(word, ids)
    return ids
  }
}

const maxRememberedWords = 10_000

/** What a tokenizer's files say. */
export interface TokenizerParts {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly ranks: ReadonlyMap<string, number>
  readonly start: string
  readonly end: string
  readonly pad: string
  readonly unknown: string
  readonly maxLength: number
}
