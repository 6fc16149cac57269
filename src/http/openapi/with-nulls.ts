import type { SchemaNode } from '../wire/faults/describe-schema.ts'

/** A request schema as clients may use it: every optional field, at any depth, may also be null, which means its default. */
export function withNulls(schema: SchemaNode): object {
  const { properties, required = [], items, anyOf } = schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    required.includes(name) ? withNulls(field) : orNull(withNulls(field)),
  ])
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
    ...(items !== undefined && { items: withNulls(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(withNulls) }),
  }
}

function orNull(field: object): object {
  if ('type' in field && typeof field.type === 'string' && field.type !== 'null') return { ...field, type: [field.type, 'null'] }
  if ('enum' in field && Array.isArray(field.enum)) return { ...field, enum: [...field.enum, null] }
  if ('anyOf' in field && Array.isArray(field.anyOf)) return { ...field, anyOf: [...field.anyOf, { type: 'null' }] }
  return field
}
