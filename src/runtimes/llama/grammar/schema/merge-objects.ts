import { isRecord } from '../../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { isAnnotation } from './schema-keywords.ts'

const mergeable = ['type', 'properties', 'required']

/**
 * One schema of objects for several that all hold, as `allOf` inherits; null when they say more than which members there are, or of one
 * member twice.
 *
 * @param options References resolved.
 */
export function mergeObjects(options: readonly JsonValue[]): JsonObject | null {
  if (!options.every(isPlainObject)) return null
  const properties = options.flatMap((option) => Object.entries(option.properties))
  const names = new Set(properties.map(([name]) => name))
  if (names.size < properties.length) return null
  return { type: 'object', properties: Object.fromEntries(properties), required: options.flatMap((option) => option.required ?? []) }
}

function isPlainObject(option: JsonValue): option is { readonly properties: JsonObject; readonly required?: readonly JsonValue[] } {
  if (!isRecord(option) || !isRecord(option.properties)) return false
  const { type = 'object', required = [] } = option
  return (
    type === 'object' &&
    Array.isArray(required) &&
    Object.keys(option).every((keyword) => mergeable.includes(keyword) || isAnnotation(keyword))
  )
}
