import type { JsonValue } from '../../../../core/json-value.ts'
import type { FlatSchema } from './flat-schemas.ts'

const byType = {
  object: [
    'properties',
    'patternProperties',
    'required',
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'format', 'pattern'],
  integer: [],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
} as const satisfies Readonly<Record<string, readonly (keyof FlatSchema)[]>>

export type SchemaType = keyof typeof byType
export const schemaTypes: readonly SchemaType[] = Object.keys(byType).filter(isSchemaType)

/** Whether a type of that name exists. */
export function isSchemaType(name: string): name is SchemaType {
  return Object.hasOwn(byType, name)
}

/** The types a schema names, or those its other keywords speak of; null = any. */
export function namedTypes(schema: FlatSchema): readonly SchemaType[] | null {
  if (schema.type !== undefined) return schema.type
  const meant = schemaTypes.filter((type) => byType[type].some((keyword) => schema[keyword] !== undefined))
  return meant.length === 0 ? null : meant
}

/** The types a schema allows; whole numbers are numbers where any number may come. */
export function typesOf(schema: FlatSchema): readonly SchemaType[] {
  return namedTypes(schema) ?? schemaTypes.filter((type) => type !== 'integer')
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
