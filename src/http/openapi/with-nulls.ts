import type { TObject } from 'typebox'

/** A request schema as clients may use it: every optional field may also be null, which means its default. */
export function withNulls(schema: TObject): object {
  const required: readonly string[] = schema.required ?? []
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    required.includes(name) ? property : orNull(property),
  ])
  return { ...schema, properties: Object.fromEntries(properties) }
}

function orNull(property: object): object {
  if ('type' in property && typeof property.type === 'string') return { ...property, type: [property.type, 'null'] }
  if ('enum' in property && Array.isArray(property.enum)) return { ...property, enum: [...property.enum, null] }
  if ('anyOf' in property && Array.isArray(property.anyOf)) return { ...property, anyOf: [...property.anyOf, { type: 'null' }] }
  return property
}
