import { makeBrokenError } from './upstream-error.ts'

/** The longest line that is read, in characters; no event of an honest server comes near it. */
const longestLine = 4 << 20

/** Finds the `data:` lines of a server-sent stream of UTF-8 text that comes in pieces. The document of a server that does not stream is one line. */
export class DataLines {
  #rest = ''
  #form: 'unknown' | 'lines' | 'document' = 'unknown'

  /**
   * The lines that end within the next piece, without their prefix; those that say nothing are none.
   *
   * @throws {ServiceError} `inference_failed` when a line does not end within 4 million characters.
   */
  take(piece: string): readonly string[] {
    // A byte-order mark is white space too.
    const text = this.#form === 'unknown' ? piece.trimStart() : piece
    if (this.#form === 'unknown' && text !== '') this.#form = text.startsWith('{') ? 'document' : 'lines'
    const lines = this.#form === 'lines' ? this.#takeLines(text) : []
    if (this.#form === 'document') this.#rest += text
    if (this.#rest.length > longestLine) throw makeBrokenError('sent a line that does not end')
    return lines
  }

  /** What was not ended, when no more pieces come: the last line may lack its end. */
  end(): readonly string[] {
    return this.#form === 'document' ? [this.#rest] : this.#takeLines('\n')
  }

  #takeLines(taken: string): readonly string[] {
    // No data has one within: JSON escapes it.
    const piece = taken.includes('\r') ? taken.replaceAll('\r', '\n') : taken
    const lines: string[] = []
    let start = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      const line = this.#rest + piece.slice(start, end)
      this.#rest = ''
      start = end + 1
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : ''
      if (data !== '') lines.push(data)
    }
    this.#rest += piece.slice(start)
    return lines
  }
}
