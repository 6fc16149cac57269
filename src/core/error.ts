/**
 * All error codes, by their stable wire names.
 *
 * The HTTP statuses are in `http/answers/error-status.ts`, the explanations in `docs/errors.md`; the compiler and a test keep both
 * complete.
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

/** One fault of one field: its place, the fix, and a stable kind such as `missing` or `range`. */
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
  /**
   * Whether the request failed before any work that it could have broken began, so that an asynchronous request loses no attempt; absent =
   * unknown.
   */
  readonly isNotStarted?: boolean
  /**
   * Whether the component that failed is still running and reported the failure itself, so that the request killed no engine; absent =
   * unknown.
   */
  readonly isEngineAlive?: boolean
  /** The reason, for the log and for owners at the console; never sent to other callers. */
  readonly cause?: unknown
}

/** The only error type the service throws on purpose; `message` is one sentence that names the fix. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly faults: readonly FieldFault[]
  readonly isNotStarted: boolean
  readonly isEngineAlive: boolean

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.param = options.param
    this.retryAfterSeconds = options.retryAfterSeconds
    this.faults = options.faults ?? []
    this.isNotStarted = options.isNotStarted ?? false
    this.isEngineAlive = options.isEngineAlive ?? false
  }
}

/** Whether a request failed before any work that it could have broken began. */
export function isNotStarted(error: unknown): boolean {
  return error instanceof ServiceError && error.isNotStarted
}

/** A {@link ServiceError} as plain data, for storing and sending. */
export interface ErrorRecord {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  /** The cause for owners, made by {@link causeText}; never sent at the public interface. Absent = the message says everything. */
  readonly cause?: string
}

/** Converts anything thrown into a record that is safe for clients; unknown errors get a fixed sentence. */
export function toErrorRecord(error: unknown): ErrorRecord {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, param: error.param ?? null }
  return {
    code: 'internal_error',
    message: 'The service failed; try again, and report it to the operator if it happens twice.',
    param: null,
  }
}

/** Errors of an accepted request that only another request can avoid. */
const mistakes: readonly ErrorCode[] = [
  'invalid_request_error',
  'context_length_exceeded',
  'unsupported_parameter',
  'payload_too_large',
  'validation_error',
  'unsupported',
]

/** Whether the request itself is at fault, so that the service's log has no further information. */
export function isMistake(error: Pick<ErrorRecord, 'code'> | null): boolean {
  return mistakes.some((code) => code === error?.code)
}

/** The error for a stored record. */
export function fromErrorRecord(record: ErrorRecord): ServiceError {
  return new ServiceError(record.code, record.message, { param: record.param ?? undefined })
}

/** Like {@link toErrorRecord}, with the cause; for storage and other nodes, never for callers. */
export function toFailureRecord(error: unknown): ErrorRecord {
  const cause = causeText(error)
  return cause === null ? toErrorRecord(error) : { ...toErrorRecord(error), cause }
}

const longestCause = 600
const maxCauses = 5

/** The chain of causes of an error on one line, the root cause last; null if it adds nothing to the message. */
export function causeText(error: unknown): string | null {
  // Clients see a fixed sentence for unforeseen errors, so the cause starts with the error's own message.
  let cause = error instanceof ServiceError ? error.cause : error
  const reasons: string[] = []
  for (let depth = 0; cause !== undefined && cause !== null && depth < maxCauses; depth++) {
    const [line = ''] = reasonOf(cause).trim().split('\n')
    if (line !== '' && !reasons.includes(line)) reasons.push(line)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return reasons.length === 0 ? null : reasons.join(' ← ').slice(0, longestCause).toWellFormed().replaceAll('\0', ' ')
}

/** What Node.js and undici say when a connection ends early. */
const brokenOff = ['aborted', 'terminated', 'other side closed', 'socket hang up']

/** The text of one error in a chain of causes; the fixed sentence for clients is left out when a cause follows. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (brokenOff.includes(cause.message)) return 'the connection broke off'
  return cause instanceof ServiceError && cause.cause !== undefined ? '' : cause.message || cause.name
}
