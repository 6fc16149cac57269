import type { JsonValue } from '../../../../core/json-value.ts'
import { type Counts, type Grammar, literal, maxOverall, repeated } from '../gbnf.ts'
import type { Leeway } from './leeway.ts'
import type { FlatSchema } from './read-schema.ts'

/** Maximum number of distinct values for `uniqueItems`: every subset of them is a rule. */
const mostUnique = 6

/** Parts of a list. */
export interface ListParts {
  readonly where: string
  readonly leeway: Leeway
  /** The rule for a value of a place, from 0; -1 = all places after those with their own schema. */
  readonly rule: (schema: JsonValue, place: number) => string
  /** The only values that a schema allows; null = there are others. */
  readonly valuesOf: (schema: JsonValue) => readonly JsonValue[] | null
}

/** The rule for a list. One with a schema for each place has every one of them, and more only where it must. */
export function listRule(grammar: Grammar, schema: FlatSchema, parts: ListParts): string {
  const { where, leeway } = parts
  const { prefixItems: places = [], items = true, uniqueItems } = schema
  let { minItems: least = 0, maxItems: most = null } = schema
  if (least > maxOverall) {
    leeway.loosen(`"minItems" at ${where} is supported up to ${maxOverall}`)
    least = 0
  }
  if (items === false || places.length > 0)
    most = Math.min(most ?? Number.POSITIVE_INFINITY, items === false ? places.length : Math.max(places.length, least))
  if (most !== null && most < least) {
    leeway.mistake(`the lengths at ${where} exclude every value`)
    return 'array'
  }
  if (most === 0) return grammar.name('"[" ws "]"')
  if (uniqueItems && most !== 1) {
    const unique = places.length === 0 ? uniqueRule(grammar, { least, most }, parts.valuesOf(items)) : null
    if (unique !== null) return unique
    leeway.loosen(`"uniqueItems" at ${where} is supported for at most ${mostUnique} values that are listed`)
  }
  const named = places.slice(0, most ?? places.length).map((place, index) => `${parts.rule(place, index)} ws`)
  if (named.length > 0 && named.length >= least) return grammar.name(`"[" ws ${named.join(' "," ws ')} "]"`)
  const item = parts.rule(items, -1)
  if (named.length > 0) return grammar.name(`"[" ws ${named.join(' "," ws ')} ("," ws ${item} ws){${least - named.length}} "]"`)
  const another = grammar.name(`"," ws ${item} ws`)
  const list = `${item} ws ${repeated(another, Math.max(0, least - 1), most === null ? null : most - 1)}`
  return grammar.name(`"[" ws ${least === 0 ? `(${list})?` : list} "]"`)
}

/** The rule for a list of unique values; null = more values than `mostUnique`, unknown ones, or too few. */
function uniqueRule(grammar: Grammar, { least, most }: Counts, values: readonly JsonValue[] | null): string | null {
  const different = [...new Set((values ?? []).map((value) => JSON.stringify(value)))]
  if (different.length === 0 || different.length > mostUnique || least > different.length) return null
  const rest = (left: readonly string[], count: number): string => {
    const ends = count >= least
    if (left.length === 0 || count === most) return ends ? '""' : '"\\x00"'
    const ways = left.map((value) => `${count === 0 ? '' : '"," ws '}${literal(value)} ws ${rest(without(left, value), count + 1)}`)
    return grammar.name(ends ? `(${ways.join(' | ')})?` : ways.join(' | '))
  }
  return grammar.name(`"[" ws ${rest(different, 0)} "]"`)
}

function without(values: readonly string[], value: string): readonly string[] {
  return values.filter((each) => each !== value)
}
