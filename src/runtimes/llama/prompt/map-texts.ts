import type { JsonObject, JsonValue } from '../../../core/json-value.ts'

/** A JSON value with every text in it changed, the names of members too. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  return isList(value) ? value.map((item) => mapTexts(item, change)) : mapMembers(value, change)
}

/** The same of an object. */
export function mapMembers(object: JsonObject, change: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [change(name), mapTexts(member, change)]))
}

/** `Array.isArray` does not narrow a type to a readonly list. */
function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value)
}
