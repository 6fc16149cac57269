import type { TextPart } from '../../core/text-generation.ts'
import type { CountedTokens } from './token-count.ts'
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
