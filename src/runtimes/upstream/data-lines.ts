import { makeBrokenError } from './upstream-error.ts'

/** The longest line that is read, in characters; no event of an honest server comes near it. */
const longestLine = 4 << 20
const byteOrderMark = '\uFEFF'

/** The end of a stream's last line, which servers may leave out. */
export const lineEnd = '\n'

/** Finds the `data:` lines of a server-sent stream of UTF-8 text that comes in pieces. */
export class DataLines {
  #rest = ''
  #isFirst = true

  /**
   * The lines that end within the next piece, without their prefix; those that say nothing are none.
   *
   * @throws {ServiceError} `inference_failed` when a line does not end within 4 million characters.
   */
  take(piece: string): readonly string[] {
    const lines: string[] = []
    let start = 0
    for (let end = piece.indexOf(lineEnd); end >= 0; end = piece.indexOf(lineEnd, start)) {
      const whole = this.#rest + piece.slice(start, end)
      const line = this.#isFirst && whole.startsWith(byteOrderMark) ? whole.slice(byteOrderMark.length) : whole
      this.#isFirst = false
      this.#rest = ''
      start = end + lineEnd.length
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : ''
      if (data !== '') lines.push(data)
    }
    this.#rest += piece.slice(start)
    if (this.#rest.length > longestLine) throw makeBrokenError('sent a line that does not end')
    return lines
  }
}
