import { isRecord } from '../../../core/is-record.ts'
import type { SchemaNode } from './describe-schema.ts'

/** The branch of a union whose constant `type` is the value's own; undefined when the branches, or the value, do not tell. */
export function branchByType(branches: readonly SchemaNode[], value: unknown): SchemaNode | undefined {
  if (!isRecord(value) || value.type === undefined) return undefined
  return branches.find(({ properties }) => properties?.type?.const === value.type)
}
