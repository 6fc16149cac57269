import { readFinishWord } from '../../core/text/finish-words.ts'
import type { FinishReason, TextPart } from '../../core/text-generation.ts'
import { parseJson } from './parse-json.ts'
import type { CountedTokens } from './token-count.ts'
import { makeBrokenError, makeReportedError } from './upstream-error.ts'

/** Maximum characters of a line; real events stay far below. */
const longestLine = 4 << 20

/**
 * Finds the data of a server-sent stream of UTF-8 text that comes in pieces: what stands in one `data:` line, also where no empty line follows, or in several
 * that are one JSON value together. The document of a server that does not stream is one line, and so is each of several JSON documents in lines of their own.
 */
export class DataLines {
  #rest = ''
  /** Data that an empty line ends. */
  #open = ''
  /** Whether the piece before ended with a CR, whose LF may come. */
  #isAfterCr = false
  #form: 'unknown' | 'lines' | 'beginning' | 'document' | 'documents' = 'unknown'

  /**
   * The lines that end in the next piece, without prefix and without empty lines.
   *
   * @throws {ServiceError} `inference_failed` if a line exceeds 4 million characters.
   */
  take(piece: string): readonly string[] {
    // This removes a byte-order mark too.
    const text = this.#form === 'unknown' ? piece.trimStart() : piece
    if (this.#form === 'unknown' && text !== '') this.#form = /^[{[]/.test(text) ? 'beginning' : 'lines'
    const lines = this.#form === 'lines' ? this.#takeLines(text) : this.#takeDocuments(text)
    if (this.#rest.length + this.#open.length > longestLine) throw makeBrokenError('sent a line that is too long')
    return lines
  }

  /** The last line, which may lack a line break. */
  end(): readonly string[] {
    if (this.#form === 'documents') return this.#takeDocuments('\n')
    return this.#form === 'beginning' || this.#form === 'document' ? [this.#rest] : this.#takeLines('\n\n')
  }

  /** The first line decides: if it is a whole value, each line is one. */
  #takeDocuments(piece: string): readonly string[] {
    this.#rest += piece
    if (!piece.includes('\n')) return []
    if (this.#form === 'beginning') this.#form = isWhole(this.#rest.slice(0, this.#rest.indexOf('\n')).trim()) ? 'documents' : 'document'
    if (this.#form === 'document') return []
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.map((line) => line.trim().replace(/^data:\s*/, '')).filter((line) => /^["[{]/.test(line))
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

function isWhole(line: string): boolean {
  if (isBeginning(line)) return false
  try {
    return typeof parseJson(line) === 'object'
  } catch {
    return false
  }
}

/** Whether data is the beginning of JSON that is written over several lines: JSON in one line ends as it begins. */
function isBeginning(data: string): boolean {
  return (data.startsWith('{') && !(data.length > 1 && data.endsWith('}'))) || (data.startsWith('[') && !data.endsWith(']'))
}

/** Whether data is OpenAI's mark for the end of a stream, in any spelling. */
export function isEndMark(data: string): boolean {
  return /^"?\[done\]"?$/i.test(data)
}

/** The end of a choice as its server reports it. */
export interface ReportedEnd {
  readonly reason: FinishReason
  readonly stop?: string
}

/** Reads a server's finish value. @throws {ServiceError} `inference_failed` if the server gave up. */
export function readEnd(word: string, stop: unknown): ReportedEnd {
  const reason = readFinishWord(word)
  if (reason === 'failed') throw makeReportedError(`ended an answer with ${word.slice(0, 40)}`)
  return { reason, ...(typeof stop === 'string' && { stop }) }
}

/** The last part of a choice. @param hasCalls Whether it calls tools. */
export function endPart(choice: number, end: ReportedEnd, hasCalls: boolean): Extract<TextPart, { readonly type: 'choice-finish' }> {
  return { type: 'choice-finish', choice, ...end, reason: end.reason === 'stop' && hasCalls ? 'tool_calls' : end.reason }
}

/** A part of a server's answer; its `finish` may lack counts. */
export type DecodedPart =
  | Exclude<TextPart, { readonly type: 'finish' }>
  | { readonly type: 'finish'; readonly usage: CountedTokens | undefined }

/** Decodes the stream of one response into parts. */
export interface StreamDecoder {
  /** Whether every choice has ended, so that only counts can follow. */
  readonly isComplete: boolean

  /**
   * Decodes the next data line. A `finish` is the last part.
   *
   * @throws {ServiceError} `inference_failed` for an invalid event or a reported error, `server_is_overloaded` if the server reports overload.
   */
  decode(line: string): readonly DecodedPart[]

  /** Decodes the end of the stream. @throws {ServiceError} `inference_failed` if the stream ended early. */
  end(): readonly DecodedPart[]
}
