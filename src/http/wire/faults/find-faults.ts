import type { TLocalizedValidationError } from 'typebox/error'
import type { FieldFault } from '../../../core/error.ts'
import { describeSchema, type SchemaNode } from './describe-schema.ts'
import { printPath } from './print-path.ts'
import { shortName } from './short-name.ts'

/** Turns a validator's errors into one fault per field, each naming the field and what to change. */
export function findFaults(schema: object, errors: readonly TLocalizedValidationError[]): readonly FieldFault[] {
  const faults = withoutUnionNoise(errors).flatMap((error) => toFaults(schema, error))
  // Unknown fields come last, so that an invalid value decides the error's code.
  const sorted = faults.toSorted((a, b) => Number(a.kind === 'unknown') - Number(b.kind === 'unknown'))
  const seen = new Set<string>()
  return sorted.filter(({ path }) => {
    const name = printPath(path)
    return seen.has(name) ? false : seen.add(name)
  })
}

/**
 * A value that fits no branch of a union is reported once per branch and once for the union. What is wrong deeper
 * inside says most; otherwise the union as a whole does.
 */
function withoutUnionNoise(errors: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf')
  return errors.filter((error) => {
    const inside = unions.some((union) => isInside(error, union) && error.instancePath === union.instancePath)
    const deeper = error.keyword === 'anyOf' && errors.some((other) => isInside(other, error) && other.instancePath !== error.instancePath)
    return !inside && !deeper
  })
}

function isInside(error: TLocalizedValidationError, union: TLocalizedValidationError): boolean {
  return error !== union && error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) && error.instancePath.startsWith(union.instancePath)
}

function toFaults(schema: object, error: TLocalizedValidationError): readonly FieldFault[] {
  const path = splitPointer(error.instancePath).map((part) => (/^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : shortName(part)))
  if (error.keyword === 'additionalProperties') return []
  if (error.keyword === 'boolean') return [unknownField(path, nodeAt(schema, error.schemaPath.replace(/\/additionalProperties$/, '')))]
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => {
      const missing = [...path, name]
      const wanted = describeSchema(nodeAt(schema, `${error.schemaPath}/properties/${name}`))
      return { path: missing, message: `\`${printPath(missing)}\` is required: add ${wanted}.`, kind: 'missing' }
    })
  }
  const node = nodeAt(schema, error.schemaPath)
  // A field that may only be null is one of somebody else's.
  if (node.type === 'null') return [unknownField(path, {})]
  const wanted = describeSchema(node)
  const subject = path.length === 0 ? 'The body' : `\`${printPath(path)}\``
  return [{ path, message: `${subject} must be ${wanted}.`, kind: kinds[error.keyword] ?? 'range' }]
}

function unknownField(path: FieldFault['path'], parent: SchemaNode): FieldFault {
  const name = printPath(path)
  const [pattern] = Object.keys(parent.patternProperties ?? {})
  if (pattern === undefined) return { path, message: `\`${name}\` is not a known field: remove it.`, kind: 'unknown' }
  return { path, message: `\`${name}\` must have a name matching ${pattern}.`, kind: 'format' }
}

const kinds: Readonly<Record<string, string>> = { type: 'type', anyOf: 'type', enum: 'enum', const: 'enum', pattern: 'format' }

function nodeAt(schema: object, pointer: string): SchemaNode {
  let node: unknown = schema
  for (const part of splitPointer(pointer.replace(/^#/, '')))
    node = typeof node === 'object' && node !== null ? Reflect.get(node, part) : undefined
  return typeof node === 'object' && node !== null ? node : {}
}

function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
