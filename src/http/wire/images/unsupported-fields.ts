import Type, { type TOptional, type TUnknown } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/** A known but unsupported field: refused by name unless it is null or has the value that means "off". */
export type UnsupportedField = TOptional<TUnknown>

/** @param nothing The value that means "off"; absent = there is none. */
export function unsupportedField(nothing?: unknown): UnsupportedField {
  return Type.Optional(Type.Unknown(nothing === undefined ? {} : { default: nothing }))
}

/** One fault per such field with a value. */
export function findUnsupported(
  body: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, UnsupportedField>>,
): readonly FieldFault[] {
  return Object.entries(fields)
    .filter(([name, field]) => Object.hasOwn(body, name) && !isNoOp(body[name], field))
    .map(([name]) => fieldFault(name, 'is not supported by this service: leave it out.', 'unsupported'))
}

function isNoOp(value: unknown, field: object): boolean {
  return value === null || value === undefined || ('default' in field && JSON.stringify(value) === JSON.stringify(field.default))
}
