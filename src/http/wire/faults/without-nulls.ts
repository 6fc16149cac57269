import type { SchemaNode } from './describe-schema.ts'

/** A body without the known fields that are null, at any depth, so that `null` and absence mean the same. */
export function withoutNulls(schema: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = branchOf(schema, 'array')?.items
    return items === undefined ? value : value.map((entry: unknown) => withoutNulls(items, entry))
  }
  const properties = branchOf(schema, 'object')?.properties
  if (!isRecord(value) || properties === undefined) return value
  const known = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined)
  const kept = Object.entries(value).filter(([name, entry]) => entry !== null || known(name) === undefined)
  return Object.fromEntries(kept.map(([name, entry]) => [name, withoutNulls(known(name) ?? {}, entry)]))
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The branch of a schema that describes values of this type. */
function branchOf(schema: SchemaNode, type: 'array' | 'object'): SchemaNode | undefined {
  return schema.type === type ? schema : schema.anyOf?.find((branch) => branch.type === type)
}
