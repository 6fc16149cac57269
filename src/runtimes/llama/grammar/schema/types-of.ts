import type { FlatSchema } from './read-schema.ts'
import { type SchemaType, schemaTypes } from './value-types.ts'

/** Keywords that speak of one type. */
const byType = {
  object: [
    ...(['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const),
    ...(['required', 'dependentRequired', 'minProperties', 'maxProperties', 'conditions'] as const),
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

/** The type that a keyword speaks of; undefined = of any. */
export function typeOfKeyword(keyword: string): SchemaType | undefined {
  return schemaTypes.find((type) => byType[type].some((each) => each === keyword))
}
