import { ServiceError } from '../../core/error.ts'

/** What a store that does not answer, or not in time, means for a caller: nobody's fault, and it passes. */
export function s3Unavailable(cause: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', 'The store of outputs does not answer; try again later.', { retryAfterSeconds: 5, cause })
}

/** What bytes that are not there mean for a caller. */
export function unreadableOutput(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'The stored output cannot be read; send the request again.', { cause })
}

/** What bytes that are not those that were stored mean for a caller. */
export function damagedOutput(): ServiceError {
  return new ServiceError('internal_error', 'The stored output is damaged; send the request again.')
}
