import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'

/** The types of JSON Schema. */
export const schemaTypes = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const
export type SchemaType = (typeof schemaTypes)[number]

/** Whether a type of that name exists. */
export function isSchemaType(name: string): name is SchemaType {
  return schemaTypes.some((type) => type === name)
}

/** Whether a value is of a type. */
export function isOfType(value: JsonValue, type: SchemaType): boolean {
  return type === 'integer' ? Number.isInteger(value) : jsonType(value) === type
}

/** The type of a value; whole numbers are numbers. */
export function jsonType(value: JsonValue): SchemaType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** Whether no value meets a schema, as `z.never()` is written. */
export function isNever(schema: JsonValue): boolean {
  return schema === false || (isRecord(schema) && isNot(schema))
}

function isNot({ not }: JsonObject): boolean {
  return not === true || (isRecord(not) && Object.keys(not).length === 0)
}
