import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import { GrammarFault } from '../automaton/grammar-fault.ts'
import { type Bound, decimalRange, isPlainDecimal } from './decimal-range.ts'
import type { Grammar } from './gbnf.ts'
import { integerRange } from './integer-range.ts'
import { patternRule } from './regex-grammar.ts'
import { readLengths, refuseSchema, wholeNumber } from './schema-keywords.ts'
import type { SchemaRule } from './schema-rule.ts'
import { stringFormats } from './string-formats.ts'

/** The rule for a string with lengths, a pattern or a format. @throws {ServiceError} `unsupported_parameter` for what cannot be followed. */
export function stringRule(grammar: Grammar, schema: JsonObject, where: string): SchemaRule {
  const { least, most } = readLengths(schema, ['minLength', 'maxLength'], where)
  const { format, pattern } = schema
  if (format === undefined && pattern === undefined) {
    if (least === 0 && most === null) return { rule: 'string', closingLength: 2 }
    return { rule: grammar.name(`"\\"" char{${least},${most ?? ''}} "\\""`), closingLength: 2 + least }
  }
  if (least > 0 || most !== null)
    throw refuseSchema(`"${pattern === undefined ? 'format' : 'pattern'}" at ${where} cannot be combined with a length`)
  if (pattern !== undefined && format !== undefined) throw refuseSchema(`"pattern" at ${where} cannot be combined with a format`)
  if (pattern !== undefined) return patternedRule(grammar, pattern, where)
  const body = typeof format === 'string' ? stringFormats[format] : undefined
  if (body === undefined) throw refuseSchema(`the format ${shortName(JSON.stringify(format))} at ${where} is not supported`)
  return { rule: grammar.name(`"\\"" ${body} "\\""`), closingLength: 40 }
}

function patternedRule(grammar: Grammar, pattern: JsonValue, where: string): SchemaRule {
  if (typeof pattern !== 'string') throw refuseSchema(`"pattern" at ${where} must be a regular expression`)
  try {
    const { rule, length } = patternRule(grammar, pattern)
    return { rule: grammar.name(`"\\"" (${rule}) "\\""`), closingLength: 2 + length }
  } catch (error) {
    if (error instanceof GrammarFault) throw refuseSchema(`the pattern at ${where}: ${error.message}`, error)
    throw error
  }
}

/** The rule for an integer within bounds of at most 15 digits. @throws {ServiceError} `unsupported_parameter`. */
export function integerRule(grammar: Grammar, schema: JsonObject, where: string): SchemaRule {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => wholeNumber(schema, keyword, where))
  const [least = null, most = null, over = null, under = null] = bounds
  if (bounds.every((bound) => bound === null)) return { rule: 'integer', closingLength: 2 }
  const minimum = over === null ? least : Math.max(over + 1, least ?? over + 1)
  const maximum = under === null ? most : Math.min(under - 1, most ?? under - 1)
  if (minimum !== null && maximum !== null && minimum > maximum) throw refuseSchema(`no integer at ${where} lies between its bounds`)
  if (Math.max(Math.abs(minimum ?? 0), Math.abs(maximum ?? 0)) > 999_999_999_999_999)
    throw refuseSchema(`the bounds at ${where} have more than 15 digits`)
  return { rule: grammar.name(integerRange({ minimum, maximum })), closingLength: 15 }
}

/** The rule for a number, without an exponent where it has bounds. @throws {ServiceError} `unsupported_parameter`. */
export function numberRule(grammar: Grammar, schema: JsonObject, where: string): SchemaRule {
  const low = stricter(boundsOf(schema, ['minimum', 'exclusiveMinimum'], where), (a, b) => b - a)
  const high = stricter(boundsOf(schema, ['maximum', 'exclusiveMaximum'], where), (a, b) => a - b)
  if (low === null && high === null) return { rule: 'number', closingLength: 2 }
  const rule = decimalRange({ low, high })
  if (rule === null) throw refuseSchema(`no number at ${where} lies between its bounds`)
  return { rule: grammar.name(rule), closingLength: 15 }
}

function boundsOf(schema: JsonObject, [inclusive, exclusive]: readonly [string, string], where: string): readonly Bound[] {
  return [inclusive, exclusive].flatMap((keyword) => {
    const value = schema[keyword]
    if (value === undefined) return []
    if (typeof value !== 'number') throw refuseSchema(`"${keyword}" at ${where} must be a number`)
    if (!isPlainDecimal(value)) throw refuseSchema(`"${keyword}" at ${where} has more than 15 digits before or behind its point`)
    return [{ value, included: keyword === inclusive }]
  })
}

/** The bound that leaves less, by an order in which that one comes first. */
function stricter(bounds: readonly Bound[], order: (a: number, b: number) => number): Bound | null {
  return bounds.toSorted((a, b) => order(a.value, b.value) || Number(a.included) - Number(b.included))[0] ?? null
}
