import { type ErrorRecord, ServiceError, toErrorRecord } from '../error.ts'
import { maxAttempts, maxDeadlyAttempts } from '../inference.ts'
import type { AttemptFailure } from '../ports/inference-queue.ts'

/**
 * The id of a new inference: a UUID of version 7, whose first 48 bits are the moment (so that records lie together by day) and whose
 * next twelve are a hash of the account (so that a store of several parts finds the account's).
 *
 * @param from.uuid A random UUID of version 4; it gives the 62 bits that nobody guesses.
 * @param from.now Unix milliseconds.
 */
export function makeInferenceId({
  uuid,
  accountId,
  now,
}: {
  readonly uuid: string
  readonly accountId: string
  readonly now: number
}): string {
  const moment = momentOfId(now)
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${hashAccount(accountId).toString(16).padStart(3, '0')}-${uuid.slice(19)}`
}

/** How the ids of a moment begin: twelve hexadecimal digits. */
export function momentOfId(at: number): string {
  return Math.floor(at).toString(16).padStart(12, '0')
}

const encoder = new TextEncoder()

/** Twelve bits of FNV-1a. */
function hashAccount(accountId: string): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(accountId)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash ^ (hash >>> 12) ^ (hash >>> 24)) & 0xfff
}

/** What an inference that was cancelled answers for its output. */
export const cancelled: ErrorRecord = toErrorRecord(new ServiceError('request_cancelled', 'The request was cancelled before it finished.'))

/** What an inference ends with whose workers were lost too often. */
export const lostWorkers: ErrorRecord = toErrorRecord(
  new ServiceError('inference_failed', 'Every attempt was interrupted; send the request again.'),
)

/** How an attempt counts whose worker was lost: its engine may be well. */
export const workerLost: AttemptFailure = { deadly: false, error: lostWorkers, delayMs: 0 }

/** What an inference ends with that was pending for too long. */
export const waitedTooLong: ErrorRecord = toErrorRecord(
  new ServiceError('inference_timeout', 'The request waited too long for its turn; send it again.'),
)

/** What an inference ends with whose stored request is damaged. */
export const unreadableWork: ErrorRecord = toErrorRecord(
  new ServiceError('internal_error', 'The stored request cannot be read; send it again.'),
)

/** Attempts that ended without completing; those given back do not count. */
export interface AttemptTally {
  /** Attempts whose engine died. */
  readonly deadly: number
  /** Attempts whose worker was lost, or reported a failure that may pass. */
  readonly failed: number
}

/** Whether an inference may run again after these attempts. */
export function mayRetry({ deadly, failed }: AttemptTally): boolean {
  return deadly < maxDeadlyAttempts && deadly + failed < maxAttempts
}
