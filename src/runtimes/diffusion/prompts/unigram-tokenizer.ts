import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../../core/json-value.ts'
import { fileExists, readJsonObject, unusableModel } from '../onnx/model-file.ts'
import { protobufFields } from '../onnx/protobuf-fields.ts'
import { escapePattern } from './escape-pattern.ts'

/** A piece of text with the logarithm of how likely it is; its id is its place. */
export interface Piece {
  readonly text: string
  readonly score: number
}

const space = '▁'
/** Log-probability penalty of an unknown letter relative to the rarest piece. */
const unknownPenalty = 10
const unknownId = 2
const endId = 1

/**
 * SentencePiece's unigram tokenizer, as T5 has it: words are parted into the pieces that are most likely together.
 *
 * @see Kudo 2018, arXiv:1804.10959
 */
export class UnigramTokenizer {
  readonly endId = endId
  readonly padId = 0
  readonly #ids: ReadonlyMap<string, number>
  readonly #scores: readonly number[]
  readonly #longest: number
  readonly #unknownScore: number
  readonly #special: RegExp

  constructor(pieces: readonly Piece[], added: readonly string[]) {
    this.#ids = new Map(pieces.map(({ text }, id) => [text, id]))
    this.#scores = pieces.map(({ score }) => score)
    this.#longest = pieces.reduce((most, { text }) => Math.max(most, text.length), 1)
    this.#unknownScore = this.#scores.reduce((least, score) => Math.min(least, score), 0) - unknownPenalty
    this.#special = new RegExp(`(${['<pad>', '</s>', '<unk>', ...added].map(escapePattern).join('|')})`, 'u')
  }

  /** One more than the largest id. */
  get size(): number {
    return this.#scores.length
  }

  /** The ids of a text, without an end. */
  encode(text: string): readonly number[] {
    return text.split(this.#special).flatMap((piece, i) => {
      if (i % 2 === 1) return [this.#ids.get(piece) ?? unknownId]
      return words(piece).flatMap((word) => this.#split(`${space}${word}`))
    })
  }

  /** The likeliest pieces of a word. */
  #split(word: string): readonly number[] {
    const best: { readonly score: number; readonly from: number; readonly id: number }[] = [{ score: 0, from: -1, id: -1 }]
    for (let end = 1; end <= word.length; end++) {
      const letter = letterBefore(word, end)
      let found = { score: Number.NEGATIVE_INFINITY, from: end - 1, id: unknownId }
      for (let from = Math.max(0, end - this.#longest); from < end; from++) {
        const before = best[from]
        const id = this.#ids.get(word.slice(from, end))
        if (before === undefined || (id === undefined && end - from !== letter)) continue
        const score = before.score + (id === undefined ? this.#unknownScore : (this.#scores[id] ?? 0))
        if (score > found.score) found = { score, from, id: id ?? unknownId }
      }
      best.push(found)
    }
    const ids: number[] = []
    for (let at = word.length; at > 0; ) {
      const step = best[at]
      if (step === undefined) break
      // Unknown letters beside each other are one token.
      if (step.id !== unknownId || ids.at(-1) !== unknownId) ids.push(step.id)
      at = step.from
    }
    return ids.toReversed()
  }
}

/** Length of the letter that ends at a place: two where it is a surrogate pair. */
function letterBefore(word: string, end: number): number {
  const last = word.charCodeAt(end - 1)
  return end > 1 && last >= 0xdc00 && last <= 0xdfff ? 2 : 1
}

/** A text's words, normalized as SentencePiece's `nmt_nfkc` does. */
function words(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\u200b-\u200f\u2028-\u202e\ufeff]/gu, (mark) => (/[\t\n\r\u2028\u2029]/u.test(mark) ? ' ' : ''))
    .split(/\s+/u)
    .filter((word) => word !== '')
}

/** Reads the `tokenizer.json` or `spiece.model` of a folder. @throws {ServiceError} `inference_failed` when neither fits. */
export async function loadUnigramTokenizer(folder: string): Promise<UnigramTokenizer> {
  if (!(await fileExists(folder, 'tokenizer.json'))) return loadSentencePiece(folder)
  const { model, added_tokens: added = [] } = await readJsonObject(folder, 'tokenizer.json')
  const vocabulary = isRecord(model) && model.type === 'Unigram' ? model.vocab : undefined
  if (!Array.isArray(vocabulary)) throw unusableModel('tokenizer.json', 'holds no unigram tokenizer ("model" of type "Unigram")')
  const pieces = vocabulary.map((entry: unknown): Piece => {
    const [text, score]: readonly unknown[] = Array.isArray(entry) ? entry : []
    if (typeof text !== 'string' || typeof score !== 'number') throw unusableModel('tokenizer.json', 'has a piece without text and score')
    return { text, score }
  })
  const names = Array.isArray(added)
    ? added.flatMap((token: unknown) => (isRecord(token) && typeof token.content === 'string' ? token.content : []))
    : []
  return new UnigramTokenizer(pieces, names)
}

async function loadSentencePiece(folder: string): Promise<UnigramTokenizer> {
  const file = 'spiece.model'
  const bytes = await readFile(join(folder, file)).catch((error: unknown) => {
    throw unusableModel(file, 'is missing or cannot be read', error)
  })
  const pieces: Piece[] = []
  let end = 0
  for (const field of protobufFields(bytes)) {
    end += field.head + field.length
    if (field.number === 1) pieces.push(readPiece(field.bytes))
  }
  if (end > bytes.length) throw unusableModel(file, 'is cut short')
  if (pieces.length < 3) throw unusableModel(file, 'holds no pieces')
  const extra = Array.from({ length: 100 }, (_, i) => `<extra_id_${99 - i}>`)
  return new UnigramTokenizer([...pieces, ...extra.map((text) => ({ text, score: 0 }))], extra)
}

function readPiece(message: Uint8Array): Piece {
  let text = ''
  let score = 0
  for (const { number, bytes } of protobufFields(message)) {
    if (number === 1) text = new TextDecoder().decode(bytes)
    if (number === 2 && bytes.length === 4) score = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true)
  }
  return { text, score }
}
