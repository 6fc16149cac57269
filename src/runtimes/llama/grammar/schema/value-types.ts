import { ServiceError } from '../../../../core/error.ts'
import { isRecord } from '../../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { jsonType, refuseUnknown, type SchemaType, schemaTypes, typesOf } from './schema-keywords.ts'
import { resolveReference } from './schema-reference.ts'

/** The types that an argument may have by a tool's schema; all where it says nothing, or nothing that we follow. */
export function parameterTypes(schema: JsonObject, name: string): ReadonlySet<SchemaType> {
  try {
    return valueTypes(parameterSchema(schema, name), schema, new Set())
  } catch {
    return new Set(schemaTypes)
  }
}

/** What a tool's schema says of an argument. */
export function parameterSchema(schema: JsonObject, name: string): JsonValue {
  const { properties, additionalProperties = true } = schema
  return (isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined) ?? additionalProperties
}

/** Whether a tool's schema is a plain list of its arguments, so that each is held to its own schema and no others may come. */
export function listsParameters(schema: JsonObject): boolean {
  const { properties = {}, required = [], additionalProperties = !('properties' in schema) } = schema
  if (!isRecord(properties) || !Array.isArray(required)) return false
  if (required.length === 0 && Object.keys(properties).length === 0 && additionalProperties !== false) return false
  try {
    refuseUnknown(schema, ['type', 'properties', 'required', 'additionalProperties'], '#')
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** Whether a JSON text is a value of one of these types. */
export function isOfTypes(text: string, types: ReadonlySet<SchemaType>): boolean {
  try {
    const type = jsonType(JSON.parse(text))
    return types.has(type) || (type === 'number' && types.has('integer'))
  } catch {
    return false
  }
}

/** @param seen References that were followed: what they lead to is known already. */
function valueTypes(schema: JsonValue, root: JsonObject, seen: Set<string>): ReadonlySet<SchemaType> {
  if (!isRecord(schema)) return new Set(schemaTypes)
  const { $ref: reference } = schema
  if (typeof reference === 'string') {
    if (seen.has(reference)) return new Set()
    seen.add(reference)
    return valueTypes(resolveReference(root, reference, '#'), root, seen)
  }
  if ('const' in schema) return new Set([jsonType(schema.const ?? null)])
  const { enum: values, anyOf, oneOf, allOf } = schema
  if (Array.isArray(values)) return new Set(values.map(jsonType))
  const options = anyOf ?? oneOf ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf : null)
  if (Array.isArray(options)) return new Set(options.flatMap((option: JsonValue) => [...valueTypes(option, root, seen)]))
  return new Set(typesOf(schema, '#'))
}
