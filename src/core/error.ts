/**
 * Every way the service can refuse or fail, by its stable wire name.
 *
 * The HTTP status of each lives in `http/answers/error-status.ts`, the prose in `docs/errors.md`;
 * neither compiles nor passes without covering this list.
 */
export const errorCodes = [
  'invalid_json',
  'invalid_request_error',
  'context_length_exceeded',
  'unsupported_parameter',
  'missing_token',
  'invalid_token',
  'token_expired',
  'token_revoked',
  'insufficient_scope',
  'model_not_found',
  'request_not_found',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'not_completed',
  'idempotency_conflict',
  'response_expired',
  'payload_too_large',
  'unsupported_media_type',
  'validation_error',
  'unsupported',
  'rate_limit_exceeded',
  'concurrency_limit_exceeded',
  'quota_exceeded',
  'request_cancelled',
  'internal_error',
  'inference_failed',
  'numerical_error',
  'server_is_overloaded',
  'model_loading',
  'shutting_down',
  'inference_timeout',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** One fault of one field: where it is, what to change, and a stable kind such as `missing` or `range`. */
export interface FieldFault {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly kind: string
}

export interface ServiceErrorOptions {
  /** The request field at fault, in wire spelling. */
  readonly param?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly faults?: readonly FieldFault[] | undefined
  /** Whether nothing was begun that the request could be to blame for, so that an asynchronous one has lost no attempt; absent = who knows. */
  readonly isUnbegun?: boolean
  /** Whether what was asked says itself that it failed, and goes on: an asynchronous request has killed nothing; absent = who knows. */
  readonly isSurvived?: boolean
  /** The reason, for the log and for owners at the console; never sent to other callers. */
  readonly cause?: unknown
}

/** The only error type the service throws on purpose; `message` is one sentence that says what to change. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly faults: readonly FieldFault[]
  readonly isUnbegun: boolean
  readonly isSurvived: boolean

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.param = options.param
    this.retryAfterSeconds = options.retryAfterSeconds
    this.faults = options.faults ?? []
    this.isUnbegun = options.isUnbegun ?? false
    this.isSurvived = options.isSurvived ?? false
  }
}

/** Whether a request failed with nothing begun that it could be to blame for. */
export function isUnbegun(error: unknown): boolean {
  return error instanceof ServiceError && error.isUnbegun
}

/** The storable, transferable form of a {@link ServiceError}: plain data. */
export interface ErrorRecord {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  /** Why, for owners alone, as {@link causeText} has it; never sent at the public interface. Absent = the message says all that is known. */
  readonly cause?: string
}

/** Turns anything thrown into a record a client may see: unknown errors become a fixed sentence. */
export function toErrorRecord(error: unknown): ErrorRecord {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, param: error.param ?? null }
  return {
    code: 'internal_error',
    message: 'The service failed; try again, and report it to the operator if it happens twice.',
    param: null,
  }
}

/** The error a stored record stands for. */
export function fromErrorRecord(record: ErrorRecord): ServiceError {
  return new ServiceError(record.code, record.message, { param: record.param ?? undefined })
}

/** Like {@link toErrorRecord}, with the cause: for what is stored or goes to other nodes, never for callers. */
export function toFailureRecord(error: unknown): ErrorRecord {
  const cause = causeText(error)
  return cause === null ? toErrorRecord(error) : { ...toErrorRecord(error), cause }
}

const longestCause = 600
const mostCauses = 5

/** Why something failed, as a line that ends with what came first; null when it tells no more than its message. */
export function causeText(error: unknown): string | null {
  // What was not foreseen says nothing of itself to callers.
  let cause = error instanceof ServiceError ? error.cause : error
  const reasons: string[] = []
  for (let depth = 0; cause !== undefined && cause !== null && depth < mostCauses; depth++) {
    const [line = ''] = reasonOf(cause).trim().split('\n')
    if (line !== '' && !reasons.includes(line)) reasons.push(line)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return reasons.length === 0 ? null : reasons.join(' ← ').slice(0, longestCause).toWellFormed().replaceAll('\0', ' ')
}

/** What one link of a chain of causes says; the sentence for callers says nothing where a reason follows. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause instanceof ServiceError && cause.cause !== undefined ? '' : cause.message || cause.name
}
