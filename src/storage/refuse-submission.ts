import { ServiceError } from '../core/error.ts'

/** The error for a submission to a full queue. */
export function queueFull(): ServiceError {
  return new ServiceError('server_is_overloaded', 'Too many requests are waiting; try again later.', { retryAfterSeconds: 10 })
}

/**
 * For a submission of an account that has as much waiting as it may.
 *
 * @param options.own Whether the limit is the account's own.
 */
export function shareFull(maxPending: number, { own = false }: { readonly own?: boolean } = {}): ServiceError {
  return new ServiceError(
    'concurrency_limit_exceeded',
    `This account has reached its limit of ${maxPending} waiting requests (${own ? 'its own limit' : 'its share of the queue, account-share'}); wait until some of them end.`,
    { retryAfterSeconds: 10 },
  )
}

/**
 * For one account that would store more than it may.
 *
 * @param stored Bytes, what is asked for included.
 * @param options.own Whether the limit is the account's own.
 */
export function storageFull(stored: number, most: number, { own = false }: { readonly own?: boolean } = {}): ServiceError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  return new ServiceError(
    'quota_exceeded',
    `The asynchronous requests of this account would store ${megabytes(stored)}, over its ${megabytes(most)} (${own ? 'its own limit' : 'account-storage'}); wait until outputs expire, 24 hours after they were stored, or ask for less.`,
    { retryAfterSeconds: 120 },
  )
}

/** For a key that came with another body before. */
export function idempotencyConflict(): ServiceError {
  return new ServiceError(
    'idempotency_conflict',
    'This Idempotency-Key was used with another body or webhook; use a new key for a new request.',
  )
}
