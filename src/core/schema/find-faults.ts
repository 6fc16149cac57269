import type { FieldFault } from '../error.ts'
import { isRecord } from '../json-value.ts'
import { shortName } from '../requests/request-record.ts'
import { nearestName } from '../text/nearest-name.ts'
import { branchByType, describeSchema, placesOf, printPath, type SchemaNode } from './describe-schema.ts'

/** Maximum number of faults to find; more than any valid request has fields. */
const maxFaults = 64

/**
 * Finds the faults of a value that its schema rejected: at most one per field, each naming the field and the fix. Stops after {@link
 * maxFaults}. Unknown fields come last in each object, so that an invalid value determines the error code.
 *
 * @returns An empty list for a valid value, and for a fault in a part of JSON Schema that no wire schema uses.
 */
export function findFaults(schema: SchemaNode, value: unknown): readonly FieldFault[] {
  const search: Search = { path: [], faults: [], most: maxFaults }
  visit(schema, value, search)
  // A stable sort keeps the order otherwise.
  return search.faults.toSorted((a, b) => Number(a.kind === 'unknown') - Number(b.kind === 'unknown'))
}

interface Search {
  readonly path: (string | number)[]
  readonly faults: FieldFault[]
  readonly most: number
}

function visit(schema: SchemaNode, value: unknown, search: Search): void {
  const kind = mismatch(schema, value)
  if (schema.anyOf !== undefined) visitUnion(schema, schema.anyOf, value, search)
  // A field that accepts only null belongs to another endpoint.
  else if (kind !== undefined && schema.type === 'null') addUnknown({}, search)
  else if (kind !== undefined) add(describeFault(schema, search.path), kind, search)
  else if (Array.isArray(value)) visitItems(schema, value, search)
  else if (isRecord(value)) visitFields(schema, value, search)
}

/** Reports the faults of the branch that matches best; if no branch has the value's type, the fault is that of the union. */
function visitUnion(schema: SchemaNode, branches: readonly SchemaNode[], value: unknown, search: Search): void {
  let nearest: readonly FieldFault[] | undefined
  const named = branchByType(branches, value)
  for (const branch of named === undefined ? branches : [named]) {
    if (branch.anyOf === undefined && mismatch(branch, value) === 'type') continue
    const attempt: Search = { path: search.path, faults: [], most: search.most - search.faults.length }
    visit(branch, value, attempt)
    if (attempt.faults.length === 0) return
    if (nearest === undefined || attempt.faults.length < nearest.length) nearest = attempt.faults
  }
  if (nearest !== undefined && typeof value === 'object') search.faults.push(...nearest)
  else add(describeFault(schema, search.path), 'type', search)
}

function visitItems({ items }: SchemaNode, value: readonly unknown[], search: Search): void {
  if (items === undefined) return
  const places = placesOf(items)
  for (const [index, entry] of value.entries()) {
    search.path.push(index)
    visit(places === null ? items : (places[index] ?? {}), entry, search)
    search.path.pop()
    if (isFull(search)) return
  }
}

function visitFields(schema: SchemaNode, value: Readonly<Record<string, unknown>>, search: Search): void {
  const { properties = {}, required = [], patternProperties = {} } = schema
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue
    search.path.push(name)
    add(`\`${printPath(search.path)}\` is required: add ${describeSchema(properties[name] ?? {})}.`, 'missing', search)
    search.path.pop()
  }
  for (const name in properties) {
    if (isFull(search)) return
    if (!Object.hasOwn(value, name)) continue
    search.path.push(name)
    visit(properties[name] ?? {}, value[name], search)
    search.path.pop()
  }
  if (schema.patternProperties === undefined && schema.additionalProperties !== false) return
  const patterns = Object.entries(patternProperties).map(([source, node]) => ({ pattern: new RegExp(source, 'u'), node }))
  for (const name in value) {
    if (isFull(search)) return
    if (Object.hasOwn(properties, name)) continue
    const node = patterns.find(({ pattern }) => pattern.test(name))?.node
    search.path.push(/^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : shortName(name))
    if (node !== undefined) visit(node, value[name], search)
    else if (schema.additionalProperties === false) addUnknown(schema, search, findSimilarField(name, properties, value))
    search.path.pop()
  }
}

/** The fault of the value itself, regardless of its contents. */
function mismatch(schema: SchemaNode, value: unknown): string | undefined {
  if (schema.accepts?.(value) === false) return 'format'
  if (schema.enum !== undefined) return schema.enum.includes(value) ? undefined : 'enum'
  if (schema.const !== undefined) return schema.const === value ? undefined : 'enum'
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return 'type'
      if (isShorter(value, schema.minLength ?? 0) || !isShorter(value, (schema.maxLength ?? Number.POSITIVE_INFINITY) + 1)) return 'range'
      return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value) ? undefined : 'format'
    case 'integer':
    case 'number':
      if (typeof value !== 'number' || (schema.type === 'integer' && !Number.isInteger(value))) return 'type'
      return isInRange(schema, value) ? undefined : 'range'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'type'
    case 'array':
      if (!Array.isArray(value)) return 'type'
      return value.length < (schema.minItems ?? 0) || value.length > mostItems(schema) ? 'range' : undefined
    case 'object':
      if (!isRecord(value)) return 'type'
      return schema.maxProperties !== undefined && Object.keys(value).length > schema.maxProperties ? 'range' : undefined
    case 'null':
      return value === null ? undefined : 'type'
  }
  return undefined
}

function mostItems({ items, additionalItems, maxItems = Number.POSITIVE_INFINITY }: SchemaNode): number {
  return (additionalItems === false ? placesOf(items)?.length : undefined) ?? maxItems
}

function isInRange({ minimum, maximum, exclusiveMinimum, multipleOf = 0 }: SchemaNode, value: number): boolean {
  if (multipleOf > 0 && value % multipleOf !== 0) return false
  return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity) && value > (exclusiveMinimum ?? -Infinity)
}

/**
 * Whether a text has fewer characters than `characters`. A character has one or two UTF-16 units, so that the length alone decides most
 * cases.
 */
function isShorter(text: string, characters: number): boolean {
  if (text.length < characters) return true
  if (text.length >= 2 * characters) return false
  return [...text].length < characters
}

function describeFault(schema: SchemaNode, path: FieldFault['path']): string {
  return `${path.length === 0 ? 'The body' : `\`${printPath(path)}\``} must be ${describeSchema(schema)}.`
}

/** The known field that an unknown name probably means, if not already present. */
function findSimilarField(name: string, properties: NonNullable<SchemaNode['properties']>, value: object): string | undefined {
  const ours = Object.keys(properties).filter((known) => properties[known]?.type !== 'null')
  const meant = nearestName(name, ours)
  return meant === undefined || Object.hasOwn(value, meant) ? undefined : meant
}

function addUnknown(parent: SchemaNode, search: Search, meant?: string): void {
  const name = printPath(search.path)
  const instead = meant === undefined ? '' : `, or write \`${printPath([...search.path.slice(0, -1), meant])}\``
  const [pattern] = Object.keys(parent.patternProperties ?? {})
  if (pattern === undefined) add(`\`${name}\` is not a known field: remove it${instead}.`, 'unknown', search)
  else add(`\`${name}\` must have a name matching ${pattern}.`, 'format', search)
}

function add(message: string, kind: string, { path, faults }: Search): void {
  faults.push({ path: [...path], message, kind })
}

function isFull({ faults, most }: Search): boolean {
  return faults.length >= most
}
