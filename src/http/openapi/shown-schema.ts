import type { SchemaNode } from '../../core/schema/describe-schema.ts'

/** A request schema for clients: every optional field, at any depth, may also be null, which means its default. */
export function withNulls(schema: SchemaNode): object {
  return rewrite(schema, orNull)
}

/** An answer's schema in the subset that the viewer of the reference supports. */
export function asShown(schema: SchemaNode): object {
  return rewrite(schema, (field) => field)
}

/** The checker's own keywords are left out. */
function rewrite({ words: _, accepts: __, ...schema }: SchemaNode, optional: (field: object) => object): object {
  const { properties, required = [], items, anyOf, patternProperties } = schema
  if (Array.isArray(items)) return asTuple(schema, items, optional)
  const any = patternProperties?.['^.*$']
  if (any !== undefined) return asRecord(schema, any, optional)
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    required.includes(name) ? rewrite(field, optional) : optional(rewrite(field, optional)),
  ])
  return {
    ...schema,
    properties: properties && Object.fromEntries(fields),
    items: items && rewrite(items, optional),
    anyOf: anyOf?.map((each) => rewrite(each, optional)),
  }
}

/** Describes a tuple as a list of that length with any of its types, because the viewer fails on `prefixItems`. */
function asTuple(
  { additionalItems: _, ...schema }: SchemaNode,
  places: readonly SchemaNode[],
  optional: (field: object) => object,
): object {
  return { ...schema, items: { anyOf: places.map((place) => rewrite(place, optional)) }, minItems: places.length, maxItems: places.length }
}

/** Describes members with free names as `additionalProperties`, because the viewer never finishes with a union below a pattern. */
function asRecord({ patternProperties: _, ...schema }: SchemaNode, member: SchemaNode, optional: (field: object) => object): object {
  return { ...schema, additionalProperties: rewrite(member, optional) }
}

function orNull(field: object): object {
  if ('type' in field && typeof field.type === 'string' && field.type !== 'null') return { ...field, type: [field.type, 'null'] }
  if ('enum' in field && Array.isArray(field.enum)) return { ...field, enum: [...field.enum, null] }
  if ('anyOf' in field && Array.isArray(field.anyOf)) return { ...field, anyOf: [...field.anyOf, { type: 'null' }] }
  return field
}
