import { ServiceError } from '../core/error.ts'

export function queueFull(): ServiceError {
  return new ServiceError('server_is_overloaded', 'Too many requests are waiting; try again later.', { retryAfterSeconds: 10 })
}

export function idempotencyConflict(): ServiceError {
  return new ServiceError('idempotency_conflict', 'This Idempotency-Key was used with another body; use a new key for a new request.')
}
