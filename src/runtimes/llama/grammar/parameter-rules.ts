import type { ToolDefinition } from '../../../core/text-generation.ts'
import { type ParameterNotation, type ToolFormat, valueEnds } from '../prompt/tool-format.ts'
import { type Grammar, inClass, literal } from './gbnf.ts'
import type { Leeway } from './schema/leeway.ts'
import { SchemaGrammar } from './schema/schema-grammar.ts'
import { ToolParameters } from './schema/tool-parameters.ts'

/**
 * Makes the rule for a call's arguments in a notation other than JSON, on separate lines or not: required ones first, each constrained by
 * the supported parts of its schema. If the schema is not a plain list of properties, the model may use any names.
 */
export function parameterRules(
  grammar: Grammar,
  format: ToolFormat,
  notation: ParameterNotation,
): (tool: ToolDefinition, leeway: Leeway) => string {
  const { open, between, close } = notation
  const text = textWithout(grammar, valueEnds(format, notation))
  const lineBreak = '("\\r"? "\\n")?'
  const loose = (written: string): string => written.split('\n').map(literal).join(` ${lineBreak} `)
  const closes = grammar.name(loose(close))
  const write = (name: string, value: string): string => grammar.name(`${name} ${value} ${closes}`)
  return ({ parameters }, leeway) => {
    const { members } = new ToolParameters(parameters, leeway)
    if (members === null) return grammar.name(`${lineBreak} (${write(`${literal(open)} [^<>\\r\\n]{1,256} ${loose(between)}`, text)})*`)
    const schemas = new SchemaGrammar(grammar, parameters, leeway)
    const rules = members.map(({ name, schema, required }) => {
      const value = schemas.compileBare(schema, `#/properties/${name}`, text)
      const rule = write(`${literal(open + name)} ${loose(between)}`, value)
      return required ? rule : `${rule}?`
    })
    return grammar.name([lineBreak, ...rules].join(' '))
  }
}

/**
 * The rule for any text that holds none of the marks.
 *
 * @see Aho and Corasick 1975, "Efficient string matching: an aid to bibliographic search"
 */
function textWithout(grammar: Grammar, marks: readonly string[]): string {
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
