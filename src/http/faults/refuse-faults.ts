import { type ErrorCode, type FieldFault, ServiceError } from '../../core/error.ts'
import { printPath } from '../../core/schema/describe-schema.ts'

/** The error code of each kind of fault on a family of routes. */
export interface FaultCodes {
  readonly invalid: ErrorCode
  readonly unknown: ErrorCode
}

export const textFaultCodes: FaultCodes = { invalid: 'invalid_request_error', unknown: 'unsupported_parameter' }
export const imageFaultCodes: FaultCodes = { invalid: 'validation_error', unknown: 'validation_error' }

/** Kinds of fault with a code of their own: they mean that the service does not support something. */
const ownCodes: Readonly<Record<string, ErrorCode>> = { unsupported: 'unsupported', unsupported_parameter: 'unsupported_parameter' }
const maxNamed = 5

/** Throws {@link faultsError} when there are faults. */
export function refuseFaults(faults: readonly FieldFault[], codes: FaultCodes): void {
  if (faults.length > 0) throw faultsError(faults, codes)
}

/** One error for all faults of a request, with the code of the first. */
export function faultsError(faults: readonly FieldFault[], codes: FaultCodes): ServiceError {
  const [first] = faults
  if (first === undefined) return new ServiceError(codes.invalid, 'Send a body as the API document describes it.')
  const code = ownCodes[first.kind] ?? (first.kind === 'unknown' ? codes.unknown : codes.invalid)
  return new ServiceError(code, summarize(faults, first), { param: printPath(first.path) || undefined, faults })
}

function summarize(faults: readonly FieldFault[], first: FieldFault): string {
  const messages = new Set(faults.map(({ message }) => message))
  if (messages.size === 1) return first.message
  const named = [...messages].slice(0, maxNamed).map((message) => message.replace(/\.$/, ''))
  const more = messages.size > maxNamed ? `; and ${messages.size - maxNamed} more` : ''
  return `${faults.length} fields need a change: ${named.join('; ')}${more}.`
}

/**
 * The fault of a field.
 *
 * @param field Its name, or its path in the body.
 * @param words What is wrong and what to send; follows the field's name.
 */
export function fieldFault(field: string | FieldFault['path'], words: string, kind = 'conflict'): FieldFault {
  const path = typeof field === 'string' ? [field] : field
  return { path, message: `\`${printPath(path)}\` ${words}`, kind }
}

/** Finds a field that has an effect only where a switch is on. */
export function findIdleField<Body extends object>(
  body: Body,
  field: keyof Body & string,
  needed: keyof Body & string,
): readonly FieldFault[] {
  const isIdle = body[field] !== undefined && body[field] !== false && body[needed] !== true
  return isIdle ? [fieldFault(field, `needs \`${needed}: true\`; set it, or leave this out.`)] : []
}

/**
 * The error for a query parameter.
 *
 * @param words What is wrong and what to send; follows the parameter's name.
 */
export function queryFault(param: string, words: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${param}\` ${words}`, { param })
}
