import type { Piece } from '../binding/vocabulary.ts'

/** Joins pieces into text and keeps an unfinished character back until its last byte is there. */
export class Utf8Holder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #unfinished = false

  /** The text that became whole with this piece; may be empty. */
  add(piece: Piece): string {
    if (piece.bytes.length === 0) return ''
    if (piece.text !== null && !this.#unfinished) return piece.text
    this.#unfinished = piece.text === null
    return this.#decoder.decode(piece.bytes, { stream: true })
  }
}
