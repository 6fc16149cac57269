import { readJsonObject, readText } from '../onnx/model-file.ts'
import { bytePairs } from './byte-pairs.ts'

/** Ids of one text, without the start and end tokens. */
export type TokenIds = readonly number[]

const wordPattern = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu

/**
 * CLIP's byte-pair tokenizer, read from a tokenizer folder of a model (`vocab.json`, `merges.txt` and the special
 * tokens). The special tokens are cut out of the text first, whatever they look like: with `!` as the padding token
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
    const escaped = [parts.start, parts.end, parts.pad, parts.unknown].map((token) => token.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&'))
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

interface TokenizerParts {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly ranks: ReadonlyMap<string, number>
  readonly start: string
  readonly end: string
  readonly pad: string
  readonly unknown: string
  readonly maxLength: number
}

/** Reads a tokenizer folder. */
export async function loadClipTokenizer(folder: string, name: string): Promise<ClipTokenizer> {
  const [vocabulary, merges, config, special] = await Promise.all([
    readJsonObject(folder, `${name}/vocab.json`),
    readText(folder, `${name}/merges.txt`),
    readJsonObject(folder, `${name}/tokenizer_config.json`),
    readJsonObject(folder, `${name}/special_tokens_map.json`),
  ])
  const ranks = new Map<string, number>()
  for (const line of merges.split('\n')) {
    if (line.includes(' ') && !line.startsWith('#version')) ranks.set(line.trim(), ranks.size)
  }
  const token = (key: string, fallback: string): string => specialToken(special[key]) ?? specialToken(config[key]) ?? fallback
  const end = token('eos_token', '<|endoftext|>')
  const maxLength = config.model_max_length
  return new ClipTokenizer({
    vocabulary: new Map(Object.entries(vocabulary).flatMap(([key, id]) => (typeof id === 'number' ? [[key, id] as const] : []))),
    ranks,
    start: token('bos_token', '<|startoftext|>'),
    end,
    pad: token('pad_token', end),
    unknown: token('unk_token', end),
    maxLength: typeof maxLength === 'number' && maxLength < 1000 ? maxLength : 77,
  })
}

/** Special tokens are written as text or as an object with a `content`. */
function specialToken(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'content' in value && typeof value.content === 'string') return value.content
  return undefined
}
