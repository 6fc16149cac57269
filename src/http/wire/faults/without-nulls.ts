import { isRecord } from '../../../core/is-record.ts'
import { branchByType } from './branch-by-type.ts'
import type { SchemaNode } from './describe-schema.ts'

/**
 * A body without the known fields that are null, at any depth, so that `null` and absence mean the same. Parts without such fields stay
 * the objects they are.
 */
export function withoutNulls(schema: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = branchOf(schema, 'array') ?? {}
    // Of a list that is too long nobody reads the entries.
    return items === undefined || value.length > maxItems || !holdsFields(items) ? value : cleanList(items, value)
  }
  const properties = (branchByType(schema.anyOf ?? [], value) ?? branchOf(schema, 'object'))?.properties
  return isRecord(value) && properties !== undefined ? cleanRecord(properties, value) : value
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

function cleanRecord(properties: Readonly<Record<string, SchemaNode>>, record: Readonly<Record<string, unknown>>): object {
  let copy: Record<string, unknown> | undefined
  // Whoever sends thousands of unknown fields is not waited for: only the known ones are looked at.
  for (const name in properties) {
    if (!Object.hasOwn(record, name)) continue
    const entry = record[name]
    const clean = entry === null ? undefined : withoutNulls(properties[name] ?? {}, entry)
    if (clean === entry) continue
    copy ??= { ...record }
    if (clean === undefined) delete copy[name]
    else copy[name] = clean
  }
  return copy ?? record
}

/** Whether values of a schema can have fields of their own; most long lists hold numbers or texts. */
function holdsFields(schema: SchemaNode): boolean {
  return branchOf(schema, 'array') !== undefined || branchOf(schema, 'object') !== undefined
}

/** The branch of a schema that describes values of this type. */
function branchOf(schema: SchemaNode, type: 'array' | 'object'): SchemaNode | undefined {
  return schema.type === type ? schema : schema.anyOf?.find((branch) => branch.type === type)
}
