import type { FlatSchema } from './read-schema.ts'
import { type SchemaType, schemaTypes } from './value-types.ts'

/** Keywords that speak of one type. */
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
    'conditions',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'format', 'pattern'],
  integer: [],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
} as const satisfies Readonly<Record<SchemaType, readonly (keyof FlatSchema)[]>>

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

/** Whether all keywords of a schema speak of objects alone. */
export function isAboutObjects(schema: FlatSchema): boolean {
  return Object.keys(schema).every((keyword) => byType.object.some((each) => each === keyword))
}
