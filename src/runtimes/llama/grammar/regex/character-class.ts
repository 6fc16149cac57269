import { complement as allBut, type CodeRange, lastCodePoint } from '../../automaton/byte-class.ts'
import { inClass, literal } from '../gbnf.ts'

/** All of Unicode but halves of surrogate pairs, which no text has. */
const everything: readonly CodeRange[] = [
  [0, 0xd7ff],
  [0xe000, lastCodePoint],
]

const digits: readonly CodeRange[] = [[0x30, 0x39]]
const wordCharacters: readonly CodeRange[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const lineEnds: readonly CodeRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]
const spaces: readonly CodeRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

/** Meaning of `\d`, `\w`, `\s` and their opposites. @see ECMAScript, "CharacterClassEscape" */
export const namedClasses: Readonly<Record<string, readonly CodeRange[]>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: spaces,
  S: complement(spaces),
}

/** Meaning of `.`. */
export const anyInLine: readonly CodeRange[] = complement(lineEnds)

/** Characters that stand in a JSON string by an escape only. */
const escapedInJson: readonly CodeRange[] = [
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
]
const plainInJson = complement(escapedInJson)

/** Every character that is in none of the ranges. */
export function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  return shared(allBut(ranges), everything)
}

/** Intersection of ranges with a few others. */
function shared(ranges: readonly CodeRange[], few: readonly CodeRange[]): readonly CodeRange[] {
  return ranges.flatMap(([first, last]) =>
    few.map(([from, to]): CodeRange => [Math.max(first, from), Math.min(last, to)]).filter(([from, to]) => from <= to),
  )
}

/** GBNF for one character of the ranges; null when there is none. */
export function classRule(ranges: readonly CodeRange[]): string | null {
  return ranges.length === 0 ? null : `[${ranges.map(([first, last]) => `${inClass(first)}-${inClass(last)}`).join('')}]`
}

/** GBNF for one character of the ranges as a JSON string spells it; null when there is none. */
export function jsonClassRule(ranges: readonly CodeRange[]): string | null {
  const plain = classRule(shared(ranges, plainInJson))
  const escapes = [...codePoints(shared(ranges, escapedInJson))].map((code) => jsonLiteral(String.fromCodePoint(code)))
  const spellings = plain === null ? escapes : [plain, ...escapes]
  return spellings.length === 0 ? null : `(${spellings.join(' | ')})`
}

/** GBNF for a character as a JSON string spells it. */
export function jsonLiteral(character: string): string {
  return literal(JSON.stringify(character).slice(1, -1))
}

function codePoints(ranges: readonly CodeRange[]): ReadonlySet<number> {
  return new Set(ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)))
}
