import { ServiceError } from '../core/error.ts'

/** The error for a submission to a full queue. */
export function queueFull(): ServiceError {
  return new ServiceError('server_is_overloaded', 'Too many requests are waiting; try again later.', { retryAfterSeconds: 10 })
}

/**
 * The error for an account at its limit of waiting requests.
 *
 * @param options.own Whether the limit is set on the account itself.
 */
export function shareFull(maxPending: number, { own = false }: { readonly own?: boolean } = {}): ServiceError {
  return new ServiceError(
    'concurrency_limit_exceeded',
    `This account has reached its limit of ${maxPending} waiting requests (${own ? 'its own limit' : 'its share of the queue, account-share'}); wait until some of them end.`,
    { retryAfterSeconds: 10 },
  )
}

/**
 * The error for an account over its storage limit.
 *
 * @param stored Total bytes including the new request.
 * @param options.own Whether the limit is set on the account itself.
 */
export function storageFull(stored: number, most: number, { own = false }: { readonly own?: boolean } = {}): ServiceError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  return new ServiceError(
    'quota_exceeded',
    `The asynchronous requests of this account would store ${megabytes(stored)}, over its ${megabytes(most)} (${own ? 'its own limit' : 'account-storage'}); wait until outputs expire, 24 hours after they were stored, or ask for less.`,
    { retryAfterSeconds: 120 },
  )
}

/** The error for an idempotency key that was used with another body. */
export function idempotencyConflict(): ServiceError {
  return new ServiceError(
    'idempotency_conflict',
    'This Idempotency-Key was used with another body or webhook; use a new key for a new request.',
  )
}
