import { makeBrokenError } from './upstream-error.ts'

/** Texts up to this many characters are parsed without a check, in a few milliseconds at worst. */
const unscanned = 64 * 1024
/** Maximum nesting of lists and objects; no supported API has more than ten levels. */
const deepest = 64
/** Maximum number of objects, lists and fields; at worst each takes half a microsecond (objects of different shapes). */
const maxMarks = 65_536
/** Items of lists, or escaped quotes, that take as long to parse as one object, list or field. */
const cheapPerMark = 16

const controls = /\p{Cc}/gu
const [quote, backslash, comma, colon, listBegin, listEnd, objectBegin, objectEnd] = [34, 92, 44, 58, 91, 93, 123, 125]

/**
 * Parses JSON from another server, unless it would block other requests: five million brackets take 400 ms. Accepted text takes at most 40
 * ms. `NaN` and infinite numbers, as Python writes them, are read as null, and control characters in strings as if they were escaped.
 *
 * @throws {ServiceError} `inference_failed` for more than 64 levels, over 65 536 objects, lists and fields, or sixteen times as many items.
 * @throws {SyntaxError} for invalid JSON.
 */
export function parseJson(text: string): unknown {
  if (text.length > unscanned) refuseCostly(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    const readable = asJson(text)
    if (readable === text) throw error
    return JSON.parse(readable)
  }
}

/** The text with null for each number outside of strings that JSON does not have, and with the control characters in strings escaped. */
function asJson(text: string): string {
  let [readable, from] = ['', 0]
  const marks = /"|-?Infinity|NaN/g
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const end = mark[0] === '"' ? passString(text, mark.index).end + 1 : marks.lastIndex
    const written = mark[0] === '"' ? text.slice(mark.index, end).replace(controls, escapeControl) : 'null'
    readable += text.slice(from, mark.index) + written
    from = end
    marks.lastIndex = end
  }
  return readable + text.slice(from)
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}

/** Scans the text outside of strings. */
function refuseCostly(text: string): void {
  let [depth, cost] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const { end, escapes } = passString(text, at)
      at = end
      cost += escapes / cheapPerMark
    } else if (code === listBegin || code === objectBegin) {
      depth++
      cost++
    } else if (code === comma) cost += 1 / cheapPerMark
    else if (code === listEnd || code === objectEnd) depth--
    else if (code === colon) cost++
    if (depth > deepest || cost > maxMarks) throw makeBrokenError('sent JSON that is too deep or has too many parts')
  }
}

/** End of the string that begins at `start` (or of the text, if the string is unterminated), and its number of escaped quotes. */
function passString(text: string, start: number): { readonly end: number; readonly escapes: number } {
  for (let [at, escapes] = [start, 0]; escapes <= maxMarks * cheapPerMark; escapes++) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return { end: text.length, escapes }
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return { end: at, escapes }
  }
  return { end: text.length, escapes: Number.POSITIVE_INFINITY }
}
