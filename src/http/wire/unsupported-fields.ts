import type { FieldFault } from '../../core/error.ts'

/** One fault per field that is known but cannot be honoured and was given a value. */
export function findUnsupported(body: Readonly<Record<string, unknown>>, fields: object): readonly FieldFault[] {
  return Object.keys(fields)
    .filter((name) => Object.hasOwn(body, name) && !isNothing(body[name]))
    .map((name) => ({ path: [name], message: `\`${name}\` is not supported by this service: leave it out.`, kind: 'unsupported' }))
}

/** Values that ask for nothing, so that doing nothing honours them. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === false || (typeof value === 'object' && Object.keys(value).length === 0)
}
