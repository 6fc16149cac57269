import { type Grammar, inClass, literal } from './gbnf.ts'

/**
 * The rule for any text that holds none of the marks.
 *
 * @see Aho and Corasick 1975, "Efficient string matching: an aid to bibliographic search"
 */
export function textWithout(grammar: Grammar, marks: readonly string[]): string {
  const places = new Set(marks.flatMap((mark) => Array.from(mark, (_, index) => mark.slice(0, index))))
  const characters = new Set(marks.join(''))
  const names = new Map<string, string>()
  for (const place of places) names.set(place, grammar.reserve())
  const nameOf = (place: string): string => names.get(place) ?? ''
  for (const place of places) {
    const ways: string[] = []
    const special: string[] = []
    for (const character of characters) {
      const written = place + character
      const ends = marks.some((mark) => written.endsWith(mark))
      const next = ends ? null : longestEnd(written, places)
      if (next === '') continue // as any other character
      special.push(character)
      if (next !== null) ways.push(`${literal(character)} ${nameOf(next)}`)
    }
    ways.unshift(`[^\\x00${special.map((character) => inClass(character.codePointAt(0) ?? 0)).join('')}] ${nameOf('')}`)
    grammar.define(nameOf(place), `(${ways.join(' | ')})?`)
  }
  return nameOf('')
}

/** The longest end of a text that is one of the places. */
function longestEnd(text: string, places: ReadonlySet<string>): string {
  let end = text
  while (!places.has(end)) end = end.slice(1)
  return end
}
