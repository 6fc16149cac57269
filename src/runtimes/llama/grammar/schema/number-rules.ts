import type { JsonObject } from '../../../../core/json-value.ts'
import type { Grammar } from '../gbnf.ts'
import { type Bound, decimalRange, isPlainDecimal } from './decimal-range.ts'
import { farthest, integerRange } from './integer-range.ts'
import { refuseSchema } from './schema-keywords.ts'

/** The rule for an integer. @throws {ServiceError} `unsupported_parameter`. */
export function integerRule(grammar: Grammar, schema: JsonObject, where: string): string {
  const bounds = boundsOf(schema, where)
  if (bounds === null) return 'integer'
  const { low, high } = bounds
  const minimum = low && (low.included ? Math.ceil(low.value) : Math.floor(low.value) + 1)
  const maximum = high && (high.included ? Math.floor(high.value) : Math.ceil(high.value) - 1)
  if ((minimum ?? -farthest) > (maximum ?? farthest)) throw refuseSchema(`no integer at ${where} lies between its bounds`)
  return grammar.name(integerRange({ minimum, maximum }))
}

/** The rule for a number, without an exponent where it has bounds. @throws {ServiceError} `unsupported_parameter`. */
export function numberRule(grammar: Grammar, schema: JsonObject, where: string): string {
  const bounds = boundsOf(schema, where)
  if (bounds === null) return 'number'
  const { low, high } = bounds
  for (const bound of [low, high])
    if (bound !== null && !isPlainDecimal(bound.value)) throw refuseSchema(`the bound ${bound.value} at ${where} has more than 15 digits`)
  const rule = decimalRange({ low, high })
  if (rule === null) throw refuseSchema(`no number at ${where} lies between its bounds`)
  return grammar.name(rule)
}

interface Bounds {
  /** null = open. */
  readonly low: Bound | null
  readonly high: Bound | null
}

/** @returns null when the schema says none. */
function boundsOf(schema: JsonObject, where: string): Bounds | null {
  const low = strictest(schema, ['minimum', 'exclusiveMinimum'], where)
  const high = strictest(schema, ['maximum', 'exclusiveMaximum'], where)
  if (low === null && high === null) return null
  if ((low?.value ?? 0) > farthest || (high?.value ?? 0) < -farthest)
    throw refuseSchema(`the bounds at ${where} leave only numbers of more than 15 digits`)
  return { low: low === null || low.value < -farthest ? null : low, high: high === null || high.value > farthest ? null : high }
}

/** The one of two bounds that leaves less; of lower ones that is the larger. */
function strictest(schema: JsonObject, [inclusive, exclusive]: readonly [string, string], where: string): Bound | null {
  const bounds = [inclusive, exclusive].flatMap((keyword) => {
    const value = schema[keyword]
    if (value === undefined) return []
    if (typeof value !== 'number') throw refuseSchema(`"${keyword}" at ${where} must be a number`)
    return [{ value, included: keyword === inclusive }]
  })
  const towards = inclusive === 'minimum' ? -1 : 1
  return bounds.toSorted((a, b) => towards * (a.value - b.value) || Number(a.included) - Number(b.included))[0] ?? null
}
