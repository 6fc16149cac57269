import type { JsonValue } from '../../../../core/json-value.ts'
import type { FlatSchema } from './read-schema.ts'
import { typeOfKeyword } from './types-of.ts'
import { isOfType, jsonType } from './value-types.ts'

/** Keywords that are judged here, or speak of no single value. */
const judged = new Set(['values', 'type', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])

/** Whether a value meets the simple keywords of a schema; null = others decide. */
export function meets(value: JsonValue, schema: FlatSchema): boolean | null {
  if (schema.type !== undefined && !schema.type.some((type) => isOfType(value, type))) return false
  if (typeof value === 'string' && !isWithin([...value].length, schema.minLength, schema.maxLength)) return false
  if (typeof value === 'number') {
    const { exclusiveMinimum = Number.NEGATIVE_INFINITY, exclusiveMaximum = Number.POSITIVE_INFINITY } = schema
    if (!isWithin(value, schema.minimum, schema.maximum) || value <= exclusiveMinimum || value >= exclusiveMaximum) return false
  }
  const saysNothing = (keyword: string): boolean => ![undefined, jsonType(value)].includes(typeOfKeyword(keyword))
  return Object.keys(schema).every((keyword) => judged.has(keyword) || saysNothing(keyword)) ? true : null
}

function isWithin(size: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return size >= least && size <= most
}
