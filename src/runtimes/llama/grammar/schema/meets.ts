import type { JsonValue } from '../../../../core/json-value.ts'
import type { FlatSchema } from './read-schema.ts'
import { isOfType } from './value-types.ts'

/** Keywords that are judged here, or speak of no single value. */
const judged: readonly (keyof FlatSchema)[] = [
  'values',
  'type',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]

/** Whether a value meets the simple keywords of a schema; null = others decide. */
export function meets(value: JsonValue, schema: FlatSchema): boolean | null {
  if (schema.type !== undefined && !schema.type.some((type) => isOfType(value, type))) return false
  if (typeof value === 'string' && !isWithin([...value].length, schema.minLength, schema.maxLength)) return false
  if (typeof value === 'number') {
    const { exclusiveMinimum = Number.NEGATIVE_INFINITY, exclusiveMaximum = Number.POSITIVE_INFINITY } = schema
    if (!isWithin(value, schema.minimum, schema.maximum) || value <= exclusiveMinimum || value >= exclusiveMaximum) return false
  }
  const others = Object.keys(schema).filter((keyword) => !judged.some((each) => each === keyword))
  return others.every((keyword) => doesNotApply(value, keyword)) ? true : null
}

/** Whether a keyword says nothing about a value of this type. */
function doesNotApply(value: JsonValue, keyword: string): boolean {
  if (keyword === 'pattern' || keyword === 'format') return typeof value !== 'string'
  if (keyword === 'multipleOf') return typeof value !== 'number'
  if (/properties|required|propertyNames|conditions/i.test(keyword))
    return value === null || typeof value !== 'object' || Array.isArray(value)
  return /items/i.test(keyword) && !Array.isArray(value)
}

function isWithin(size: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return size >= least && size <= most
}
