import { causeText, type ErrorCode, type ErrorRecord, fromErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { errorStatus, errorTypes } from './error-status.ts'

/** The error object every client gets; all four keys are always there. */
export interface ErrorObject {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: ErrorCode
  /** Why, for an owner at the console alone. */
  readonly cause?: string
}

export interface ErrorBody {
  readonly error: ErrorObject
  /** On 422 only: one entry per fault, as FastAPI writes them, for clients of the original service. */
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }[]
}

/** The reader of an error. */
export interface ErrorReader {
  /** Whether it may see why the service failed; absent = it may not. */
  readonly ownerSeesCauses?: boolean | undefined
}

/** The error object of a failure that was thrown, for one hearer. */
export function describeError(error: unknown, { ownerSeesCauses = false }: ErrorReader = {}): ErrorObject {
  const cause = ownerSeesCauses ? causeText(error) : null
  return { ...toErrorObject(toErrorRecord(error)), ...(cause !== null && { cause }) }
}

/** The error object of a stored or thrown failure. */
export function toErrorObject({ code, message, param }: ErrorRecord): ErrorObject {
  return { message, type: errorTypes[errorStatus[code]], param, code }
}

/** Turns anything thrown into the body a client may see. */
export function toErrorBody(error: unknown, reader: ErrorReader = {}): ErrorBody {
  const record = toErrorRecord(error)
  const body = { error: describeError(error, reader) }
  if (errorStatus[record.code] !== 422) return body
  const known = error instanceof ServiceError ? error : fromErrorRecord(record)
  const faults =
    known.faults.length > 0
      ? known.faults
      : [{ path: record.param === null ? [] : [record.param], message: record.message, kind: record.code }]
  return { ...body, detail: faults.map(({ path, message, kind }) => ({ loc: ['body', ...path], msg: message, type: kind })) }
}
