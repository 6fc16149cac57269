import type { TextPart } from '../../core/text-generation.ts'
import type { CountedTokens } from './token-count.ts'
import { makeBrokenError } from './upstream-error.ts'

/** The longest line that is read, in characters; no event of an honest server comes near it. */
const longestLine = 4 << 20

/**
 * Finds the data of a server-sent stream of UTF-8 text that comes in pieces: what stands in one `data:` line, also where no empty line follows, or in several
 * that are one JSON value together. The document of a server that does not stream is one line.
 */
export class DataLines {
  #rest = ''
  /** Data that an empty line ends. */
  #open = ''
  /** Whether the piece before ended with a CR, whose LF may come. */
  #isAfterCr = false
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
    if (this.#rest.length + this.#open.length > longestLine) throw makeBrokenError('sent a line that does not end')
    return lines
  }

  /** What was not ended, when no more pieces come: the last line may lack its end. */
  end(): readonly string[] {
    return this.#form === 'document' ? [this.#rest] : this.#takeLines('\n\n')
  }

  #takeLines(taken: string): readonly string[] {
    const piece = this.#withoutCr(taken)
    const lines: string[] = []
    let start = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      const line = this.#rest + piece.slice(start, end)
      this.#rest = ''
      start = end + 1
      if (line === '') {
        if (this.#open !== '') lines.push(this.#open)
        this.#open = ''
      }
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : ''
      if (data === '') continue
      if (this.#open === '' && !isBeginning(data)) lines.push(data)
      else this.#open += this.#open === '' ? data : `\n${data}`
    }
    this.#rest += piece.slice(start)
    return lines
  }

  /** A piece whose lines end with LF. No data has a CR within: JSON escapes it. */
  #withoutCr(piece: string): string {
    const text = this.#isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece
    this.#isAfterCr = piece.endsWith('\r') || (this.#isAfterCr && piece === '')
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  }
}

/** Whether data is the beginning of JSON that is written over several lines: JSON in one line ends as it begins. */
function isBeginning(data: string): boolean {
  return (data.startsWith('{') && !(data.length > 1 && data.endsWith('}'))) || (data.startsWith('[') && !data.endsWith(']'))
}

/** A part as a server tells it; its `finish` may lack counts. */
export type DecodedPart =
  | Exclude<TextPart, { readonly type: 'finish' }>
  | { readonly type: 'finish'; readonly usage: CountedTokens | undefined }

/** Turns what one server streams into parts; one for each stream. */
export interface StreamDecoder {
  /**
   * What the next data line says; a `finish` is the last that is read.
   *
   * @throws {ServiceError} `inference_failed` for what is no event of the server's interface or reports an error, `server_is_overloaded` when it says that it is.
   */
  decode(line: string): readonly DecodedPart[]

  /**
   * What it means that no more lines come.
   *
   * @throws {ServiceError} `inference_failed` when the stream ended early.
   */
  end(): readonly DecodedPart[]
}
