import { isRecord } from '../../core/json-value.ts'
import { branchByType, type SchemaNode } from '../../core/schema/describe-schema.ts'

/**
 * Removes null fields at any depth, so that `null` and absence mean the same. Fields whose schema accepts null and objects with free keys keep
 * theirs. Parts without such fields are returned as they are.
 */
export function withoutNulls(schema: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = branchOf(schema, 'array') ?? {}
    // The entries of a list that is too long are not checked.
    return items === undefined || value.length > maxItems || !holdsFields(items) ? value : cleanList(items, value)
  }
  if (!isRecord(value)) return value
  const branch = branchByType(schema.anyOf ?? [], value) ?? branchOf(schema, 'object')
  return branch?.properties === undefined ? value : cleanRecord(branch, branch.properties, value)
}

function cleanList(items: SchemaNode, list: readonly unknown[]): readonly unknown[] {
  let changed = false
  const cleaned = list.map((entry) => {
    const clean = withoutNulls(items, entry)
    changed ||= clean !== entry
    return clean
  })
  return changed ? cleaned : list
}

function cleanRecord(
  { additionalProperties, patternProperties }: SchemaNode,
  properties: Readonly<Record<string, SchemaNode>>,
  record: Readonly<Record<string, unknown>>,
): object {
  const cleaned: Record<string, unknown> = {}
  let changed = false
  for (const name in properties) {
    if (!Object.hasOwn(record, name)) continue
    const entry = record[name]
    const clean = entry === null && !isNullable(properties[name]) ? undefined : withoutNulls(properties[name] ?? {}, entry)
    if (clean !== undefined) cleaned[name] = clean
    changed ||= clean !== entry
  }
  const isClosed = additionalProperties === false && patternProperties === undefined
  const dropsOthers = isClosed && Object.keys(record).some((name) => record[name] === null && !Object.hasOwn(properties, name))
  if (!changed && !dropsOthers) return record
  // Unknown fields follow in their order; those with a value are refused later.
  const others = Object.entries(record).filter(([name, entry]) => !Object.hasOwn(properties, name) && !(isClosed && entry === null))
  return { ...cleaned, ...Object.fromEntries(others) }
}

/** Whether null is one of several values. A field that accepts only null belongs to another endpoint. */
function isNullable(schema: SchemaNode | undefined): boolean {
  return schema?.anyOf?.some(({ type }) => type === 'null') ?? false
}

/** Whether values of a schema can have fields. Most long lists hold numbers or strings. */
function holdsFields(schema: SchemaNode): boolean {
  return branchOf(schema, 'array') !== undefined || branchOf(schema, 'object') !== undefined
}

/** The branch of a schema that describes values of this type. */
function branchOf(schema: SchemaNode, type: 'array' | 'object'): SchemaNode | undefined {
  return schema.type === type ? schema : schema.anyOf?.find((branch) => branch.type === type)
}
