import { ServiceError } from '../core/error.ts'
import type { QueueLimits } from '../core/ports/inference-queue.ts'

/** Waiting requests and stored bytes of an account, with its own limits; null = those of the service. */
export interface AccountRoom {
  readonly pending: number
  readonly bytes: number
  readonly mostPending: number | null
  readonly mostBytes: number | null
}

/**
 * The error for a submission to a full queue, or of an account at a limit; null = there is room.
 *
 * @param pending Waiting requests of all accounts.
 * @param stored Bytes that the account would store with the new request.
 */
export function refuseOverLimits(
  { pending, own, stored }: { readonly pending: number; readonly own: Omit<AccountRoom, 'bytes'>; readonly stored: number },
  { maxPending, maxPendingPerAccount = maxPending, maxStoredBytesPerAccount = Number.POSITIVE_INFINITY }: QueueLimits,
): ServiceError | null {
  const { mostPending, mostBytes } = own
  const most = { pending: mostPending ?? maxPendingPerAccount, bytes: mostBytes ?? maxStoredBytesPerAccount }
  if (pending >= maxPending)
    return new ServiceError('server_is_overloaded', 'Too many requests are waiting; try again later.', { retryAfterSeconds: 10 })
  if (own.pending >= most.pending) {
    const source = mostPending === null ? 'its share of the queue, account-share' : 'its own limit'
    return new ServiceError(
      'concurrency_limit_exceeded',
      `This account has reached its limit of ${most.pending} waiting requests (${source}); wait until some of them end.`,
      { retryAfterSeconds: 10 },
    )
  }
  if (stored <= most.bytes) return null
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  return new ServiceError(
    'quota_exceeded',
    `The asynchronous requests of this account would store ${megabytes(stored)}, over its ${megabytes(most.bytes)} (${mostBytes === null ? 'account-storage' : 'its own limit'}); wait until outputs expire, 24 hours after they were stored, or ask for less.`,
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
