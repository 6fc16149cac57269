import { ServiceError } from '../core/error.ts'

/** The error for a store that does not respond in time; temporary. */
export function outputsUnavailable(cause?: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.', {
    retryAfterSeconds: 5,
    cause,
  })
}

/** The error for a server that rejects the service; for callers the same as an unavailable one, since only the operator can fix it. */
export function outputsRefused(cause: unknown): ServiceError {
  const message = 'The store of outputs rejects the service; try again later. The operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** The error for a folder or disk that cannot be read now, which says nothing about the bytes. */
export function outputsUnreadable(cause: unknown): ServiceError {
  const message = 'The store of outputs cannot be read now; try again later. The operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** The error for missing bytes. */
export function unreadableOutput(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'The stored output cannot be read; send the request again.', { cause })
}

/** The error for bytes that differ from the stored ones. */
export function damagedOutput(key: string): ServiceError {
  const cause = new Error(`${key} is not what was stored there`)
  return new ServiceError('internal_error', 'The stored output is damaged; send the request again.', { cause })
}
