import { makeBrokenError } from './upstream-error.ts'

/** Characters of which even the worst are parsed in some milliseconds. */
const unscanned = 64 * 1024
/** Lists and objects within each other; no interface that is spoken here has more than ten. */
const deepest = 64
/** Objects, lists and named fields; the worst take half a microsecond each (objects that have nothing in common). */
const mostMarks = 65_536
/** Items of lists, or escaped quotes, that take as long as one object, list or field. */
const cheapPerMark = 16

const [quote, backslash, comma, colon, listBegin, listEnd, objectBegin, objectEnd] = [34, 92, 44, 58, 91, 93, 123, 125]

/**
 * Parses JSON that another server sent, but not what would hold up everybody else here: five million brackets take 400 ms. What is let through takes at most 40.
 *
 * @throws {ServiceError} `inference_failed` for what is nested deeper than 64 levels or has over 65 536 objects, lists and fields, or sixteen times as many items.
 * @throws {SyntaxError} for what is no JSON.
 */
export function parseJson(text: string): unknown {
  if (text.length > unscanned) refuseCostly(text)
  return JSON.parse(text)
}

/** Looks at what lies outside of strings, which are passed over as a whole. */
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
    if (depth > deepest || cost > mostMarks) throw makeBrokenError('sent JSON that is too deep or has too many parts')
  }
}

/** Where the string that begins at `start` ends, and how many quotes in it are escaped; the text's end where it does not end. */
function passString(text: string, start: number): { readonly end: number; readonly escapes: number } {
  for (let [at, escapes] = [start, 0]; escapes <= mostMarks * cheapPerMark; escapes++) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return { end: text.length, escapes }
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return { end: at, escapes }
  }
  return { end: text.length, escapes: Number.POSITIVE_INFINITY }
}
