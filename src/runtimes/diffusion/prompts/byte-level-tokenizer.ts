import { type JsonRecord, readJsonObject } from '../onnx/model-file.ts'
import { bytePairs } from './clip-tokenizer.ts'
import { escapePattern } from './escape-pattern.ts'
import { addedToken, type Tables, wholeTables } from './load-tokenizer.ts'

/** Splits text into words as Qwen's tokenizers do. */
const wordPattern = /(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu

/** A byte-pair tokenizer over bytes, with tokens that stand for themselves wherever they are written. */
export class ByteLevelTokenizer {
  readonly #tables: Tables
  readonly #special: RegExp | null

  constructor(tables: Tables, added: readonly string[]) {
    this.#tables = tables
    this.#special = added.length === 0 ? null : new RegExp(`(${added.map(escapePattern).join('|')})`, 'u')
  }

  /** One more than the largest id. */
  get size(): number {
    let size = 0
    for (const id of this.#tables.vocabulary.values()) size = Math.max(size, id + 1)
    return size
  }

  /** Whether a text is one of the added tokens, with an id. */
  has(token: string): boolean {
    return this.#special?.test(token) === true && this.#tables.vocabulary.has(token)
  }

  encode(text: string): readonly number[] {
    const pieces = this.#special === null ? [text] : text.split(this.#special)
    return pieces.flatMap((piece, i) => (i % 2 === 1 ? this.#idsOf([piece]) : this.#encodePlain(piece)))
  }

  #encodePlain(text: string): readonly number[] {
    const words = text.normalize('NFC').match(wordPattern) ?? []
    return words.flatMap((word) => this.#idsOf(bytePairs(word, this.#tables.ranks, '')))
  }

  #idsOf(parts: readonly string[]): readonly number[] {
    return parts.flatMap((part) => this.#tables.vocabulary.get(part) ?? [])
  }
}

/** Reads the `tokenizer.json` of a language model. @throws {ServiceError} `inference_failed` when it is missing or of another kind. */
export async function loadByteLevelTokenizer(folder: string): Promise<ByteLevelTokenizer> {
  const whole: JsonRecord = await readJsonObject(folder, 'tokenizer.json')
  const added = Array.isArray(whole.added_tokens) ? whole.added_tokens.flatMap((token) => addedToken(token)?.[0] ?? []) : []
  return new ByteLevelTokenizer(wholeTables(whole, 'tokenizer.json'), added)
}
