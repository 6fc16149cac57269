import type { Grammar } from '../gbnf.ts'
import { type Bound, decimalRange } from './decimal-range.ts'
import { farthest, integerRange } from './integer-range.ts'
import type { Leeway } from './leeway.ts'
import { type Multiples, multiplesRule } from './multiples.ts'
import type { FlatSchema } from './read-schema.ts'

/** Maximum number of digits after the point of a bound. */
const maxDecimals = 15

/** The rule for an integer, or for requested multiples. */
export function integerRule(grammar: Grammar, schema: FlatSchema, where: string, leeway: Leeway): string {
  const bounds = boundsOf(schema, where, leeway)
  const { low = null, high = null } = bounds ?? {}
  const minimum = low && (low.included ? Math.ceil(low.value) : Math.floor(low.value) + 1)
  const maximum = high && (high.included ? Math.floor(high.value) : Math.ceil(high.value) - 1)
  if ((minimum ?? -farthest) > (maximum ?? farthest)) {
    leeway.mistake(`no integer at ${where} lies between its bounds`)
    return 'integer'
  }
  const { multipleOf = 1 } = schema
  // Every integer is a multiple of a fraction such as 0.5.
  const multiples = Number.isInteger(1 / multipleOf)
    ? null
    : followMultiples({ step: multipleOf, low: minimum, high: maximum, decimals: false }, where, leeway)
  if (multiples !== null) return grammar.name(multiples)
  return bounds === null ? 'integer' : grammar.name(integerRange({ minimum, maximum }))
}

/** The rule for a number, without an exponent where it has bounds or is a multiple. */
export function numberRule(grammar: Grammar, schema: FlatSchema, where: string, leeway: Leeway): string {
  const { multipleOf } = schema
  if (multipleOf !== undefined && Number.isInteger(multipleOf)) return integerRule(grammar, schema, where, leeway)
  const bounds = boundsOf(schema, where, leeway)
  const { low = null, high = null } = bounds ?? {}
  if (multipleOf !== undefined) {
    // Bounds of multiples are included.
    const least = low && (low.included ? low.value : low.value + multipleOf / 2)
    const most = high && (high.included ? high.value : high.value - multipleOf / 2)
    const multiples = followMultiples({ step: multipleOf, low: least, high: most, decimals: true }, where, leeway)
    if (multiples !== null) return grammar.name(multiples)
  }
  if (bounds === null) return 'number'
  const rule = decimalRange({ low: low && plain(low, 'low'), high: high && plain(high, 'high') })
  if (rule !== null) return grammar.name(rule)
  leeway.mistake(`no number at ${where} lies between its bounds`)
  return 'number'
}

/** The rule for multiples; null = they are not followed. */
function followMultiples(multiples: Multiples, where: string, leeway: Leeway): string | null {
  const rule = multiplesRule(multiples)
  if (rule !== 'none' && rule !== null) return rule
  if (rule === 'none') leeway.mistake(`no multiple of ${multiples.step} at ${where} lies between the bounds`)
  else leeway.loosen(`"multipleOf" at ${where} is supported for divisors of powers of ten, or between bounds with at most 1000 multiples`)
  return null
}

/** A bound with at most 15 digits after its point; a longer one is rounded inwards. */
function plain({ value, included }: Bound, end: 'low' | 'high'): Bound {
  const rounded = Number(value.toFixed(maxDecimals))
  if (rounded === value) return { value, included }
  const step = 10 ** -maxDecimals
  const inwards = end === 'low' ? Math.ceil(value / step) * step : Math.floor(value / step) * step
  return { value: Number(inwards.toFixed(maxDecimals)), included: true }
}

/** @returns null = no bounds; one that is null is open. */
function boundsOf(schema: FlatSchema, where: string, leeway: Leeway): { readonly low: Bound | null; readonly high: Bound | null } | null {
  const low = strictest(schema.minimum, schema.exclusiveMinimum, -1)
  const high = strictest(schema.maximum, schema.exclusiveMaximum, 1)
  if (low === null && high === null) return null
  if ((low?.value ?? 0) > farthest || (high?.value ?? 0) < -farthest) {
    leeway.loosen(`the bounds at ${where} leave only numbers of more than 15 digits`)
    return null
  }
  return { low: low === null || low.value < -farthest ? null : low, high: high === null || high.value > farthest ? null : high }
}

/** The one of two bounds that leaves less; of lower ones that is the larger. */
function strictest(inclusive: number | undefined, exclusive: number | undefined, towards: 1 | -1): Bound | null {
  const bounds = [
    ...(inclusive === undefined ? [] : [{ value: inclusive, included: true }]),
    ...(exclusive === undefined ? [] : [{ value: exclusive, included: false }]),
  ]
  return bounds.toSorted((a, b) => towards * (a.value - b.value) || Number(a.included) - Number(b.included))[0] ?? null
}
