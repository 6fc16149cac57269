import { causeText, type ErrorCode, type ErrorRecord, fromErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { errorStatus, errorTypes } from './error-status.ts'

/** The error object that every client gets. All four keys are always present. */
export interface ErrorObject {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: ErrorCode
  /** The cause; only in answers to an owner at the console. */
  readonly cause?: string
}

export interface ErrorBody {
  readonly error: ErrorObject
  /** Only with status 422: one entry per fault in FastAPI's format, for clients of the original service. */
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }[]
}

export interface ErrorReader {
  /** Whether it may see why the service failed; absent = it may not. */
  readonly ownerSeesCauses?: boolean | undefined
}

/** The error object of anything thrown, for one reader. */
export function describeError(error: unknown, { ownerSeesCauses = false }: ErrorReader = {}): ErrorObject {
  const cause = ownerSeesCauses ? causeText(error) : null
  return { ...toErrorObject(toErrorRecord(error)), ...(cause !== null && { cause }) }
}

/** The error object of a stored or thrown failure. */
export function toErrorObject({ code, message, param }: ErrorRecord): ErrorObject {
  return { message, type: errorTypes[errorStatus[code]], param, code }
}

/** Turns anything thrown into an error body for clients. */
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
