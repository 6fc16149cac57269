import type { JsonObject } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import type { Grammar } from './gbnf.ts'
import { integerRange } from './integer-range.ts'
import { readLengths, refuseSchema, wholeNumber } from './schema-keywords.ts'
import type { SchemaRule } from './schema-rule.ts'

const digits = (count: number): string => `[0-9]{${count}}`
const date = `${digits(4)} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])`
const time = `([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{3})? ("Z" | [+-] ("0" [0-9] | "1" [0-2]) ":" [0-5] [0-9])`
const formats: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date} "T" ${time}`,
  uuid: [8, 4, 4, 4, 12].map((count) => `[0-9a-f]{${count}}`).join(' "-" '),
}

/**
 * The rule for a string with lengths or a format.
 *
 * @param bareText The rule of any string that stands without quotes, between tags; null = it stands in quotes. Where its length counts, such a string holds no `<`,
 *   and does not begin with line breaks that could be those of the tags.
 * @throws {ServiceError} `unsupported_parameter` for other formats.
 */
export function stringRule(grammar: Grammar, schema: JsonObject, where: string, bareText: string | null): SchemaRule {
  const { least, most } = readLengths(schema, ['minLength', 'maxLength'], where)
  const { format } = schema
  if (format === undefined) {
    if (least === 0 && most === null) return { rule: bareText ?? 'string', closingLength: 2 }
    if (bareText !== null) {
      const more = most === null ? bareText : `[^<\\x00]{0,${most - least}}`
      return { rule: grammar.name(`[^<\\r\\n\\x00]{${least}} ${more}`), closingLength: 2 + least }
    }
    return { rule: grammar.name(`"\\"" char{${least},${most ?? ''}} "\\""`), closingLength: 2 + least }
  }
  const body = typeof format === 'string' ? formats[format] : undefined
  if (body === undefined) throw refuseSchema(`the format ${shortName(JSON.stringify(format))} at ${where} is not supported`)
  if (least > 0 || most !== null) throw refuseSchema(`"format" at ${where} cannot be combined with a length`)
  return { rule: bareText === null ? grammar.name(`"\\"" ${body} "\\""`) : grammar.name(body), closingLength: 40 }
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

/** The rule for a number; the only bound it knows is a minimum of 0. @throws {ServiceError} `unsupported_parameter`. */
export function numberRule(schema: JsonObject, where: string): SchemaRule {
  const { minimum } = schema
  for (const keyword of ['maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
    if (keyword in schema) throw refuseSchema(`"${keyword}" at ${where} is supported for integers only`)
  if (minimum !== undefined && minimum !== 0) throw refuseSchema(`"minimum" at ${where} must be 0 for a number that need not be whole`)
  return { rule: minimum === undefined ? 'number' : '(digits fraction)', closingLength: 2 }
}
