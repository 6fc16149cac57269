import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { shortName } from '../../../../core/requests/short-name.ts'
import { GrammarFault } from '../../automaton/grammar-fault.ts'
import type { Grammar } from '../gbnf.ts'
import { patternRule } from '../regex/regex-grammar.ts'
import type { TextPart } from '../regex/text-part.ts'
import { type Lengths, readLengths, refuseSchema } from './schema-keywords.ts'
import { stringFormats } from './string-formats.ts'

/** Where a string stands. */
export interface StringPlace {
  readonly where: string
  /** The rule of any string that stands without quotes, between tags; null = it stands in quotes. */
  readonly bareText: string | null
}

/**
 * The rule for a string with lengths, a pattern or a format. A format beside a pattern says what the pattern does: the pattern is followed,
 * or the format where the pattern cannot be.
 *
 * @throws {ServiceError} `unsupported_parameter` for what cannot be followed.
 */
export function stringRule(grammar: Grammar, schema: JsonObject, { where, bareText }: StringPlace): string {
  const lengths = readLengths(schema, ['minLength', 'maxLength'], where)
  const { format, pattern } = schema
  if (format === undefined && pattern === undefined) return textRule(grammar, lengths, bareText)
  const known = typeof format === 'string' && Object.hasOwn(stringFormats, format) ? stringFormats[format] : undefined
  if (pattern !== undefined && bareText !== null) throw refuseSchema(`the pattern at ${where} is of a string without quotes`)
  const part = pattern === undefined ? known : patterned(grammar, { pattern, lengths, where }, known)
  if (part === undefined) throw refuseSchema(`the format ${shortName(JSON.stringify(format))} at ${where} is not supported`)
  if (!fits(part, lengths))
    throw refuseSchema(`the lengths at ${where} must have room for all of the ${pattern === undefined ? 'format' : 'pattern'}`)
  return bareText === null ? quoted(grammar, part.rule) : grammar.name(part.rule)
}

/** Without quotes a string whose length counts holds no `<`, and does not begin with line breaks that could be those of the tags. */
function textRule(grammar: Grammar, { least, most }: Lengths, bareText: string | null): string {
  if (least === 0 && most === null) return bareText ?? 'string'
  if (bareText === null) return quoted(grammar, `char{${least},${most ?? ''}}`)
  return grammar.name(`[^<\\r\\n\\x00]{${least}} ${most === null ? bareText : `[^<\\x00]{0,${most - least}}`}`)
}

interface Patterned {
  readonly pattern: JsonValue
  readonly lengths: Lengths
  readonly where: string
}

/** @param instead For a pattern that cannot be followed within the lengths. */
function patterned(grammar: Grammar, { pattern, lengths, where }: Patterned, instead: TextPart | undefined): TextPart {
  if (typeof pattern !== 'string') throw refuseSchema(`"pattern" at ${where} must be a regular expression`)
  try {
    const part = patternRule(grammar, pattern)
    if (fits(part, lengths)) return part
    return part.opensOnce ? (fitted(grammar, pattern, lengths) ?? part) : (instead ?? part)
  } catch (error) {
    if (!(error instanceof GrammarFault)) throw error
    if (instead !== undefined) return instead
    throw refuseSchema(`the pattern at ${where}: ${error.message}`, error)
  }
}

/** As often as any count may be said to repeat. */
const often = 1000

/** A pattern whose one count without an upper bound repeats as often as the lengths allow, which grow with it evenly; null = they never do. */
function fitted(grammar: Grammar, pattern: string, { least, most }: Lengths): TextPart | null {
  const here = patternRule(grammar, pattern, { least: often, most: often })
  const next = patternRule(grammar, pattern, { least: often + 1, most: often + 1 })
  const repeats = (wanted: number, of: 'least' | 'most'): number => often + (wanted - here[of]) / (next[of] - here[of])
  const fewest = least === 0 ? 0 : Math.max(0, Math.ceil(repeats(least, 'least')))
  const largest = most === null ? Number.POSITIVE_INFINITY : Math.floor(repeats(most, 'most'))
  try {
    return patternRule(grammar, pattern, { least: fewest, most: largest })
  } catch (error) {
    if (error instanceof GrammarFault) return null // it could be read before
    throw error
  }
}

function fits(part: TextPart, { least, most }: Lengths): boolean {
  return part.least >= least && (most === null || part.most <= most)
}

function quoted(grammar: Grammar, rule: string): string {
  return grammar.name(`"\\"" (${rule}) "\\""`)
}
