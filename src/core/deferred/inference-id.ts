import { type ErrorCode, type ErrorRecord, ServiceError, toErrorRecord } from '../error.ts'
import { maxAttempts, maxDeadlyAttempts } from '../inference.ts'
import type { AttemptFailure, Completion } from '../ports/inference-queue.ts'

/**
 * Makes the id of an inference: a UUID of version 7. The first 48 bits are the time, which groups records by day; the next twelve are a
 * hash of the account, by which a partitioned store finds the account's part.
 *
 * @param from.uuid A random UUID of version 4; the source of the 62 random bits.
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
  return withMoment(now, `${hashAccount(accountId).toString(16).padStart(3, '0')}-${uuid.slice(19)}`)
}

/**
 * A UUID of version 7 without an account. Random ids would each change another page of an index, and every commit writes changed pages.
 *
 * @param uuid A random UUID of version 4; the source of the 74 random bits.
 * @param now Unix milliseconds.
 */
export function inOrderOfTime(uuid: string, now: number): string {
  return withMoment(now, uuid.slice(15))
}

function withMoment(now: number, rest: string): string {
  const moment = momentOfId(now)
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${rest}`
}

/** The first twelve hexadecimal digits of ids made at a given time. */
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

const recordOf = (code: ErrorCode, message: string) => toErrorRecord(new ServiceError(code, message))

/** The error of a cancelled inference. */
export const cancelled: ErrorRecord = recordOf('request_cancelled', 'The request was cancelled before it finished.')

/** The error of an inference whose workers were lost too often. */
export const lostWorkers: ErrorRecord = recordOf('inference_failed', 'Every attempt was interrupted; send the request again.')

/** The failure of an attempt whose worker was lost; its engine may be intact. */
export const workerLost: AttemptFailure = { deadly: false, error: lostWorkers, delayMs: 0 }

/** The error of an inference that was pending for too long. */
export const waitedTooLong: ErrorRecord = recordOf('inference_timeout', 'The request waited too long for its turn; send it again.')

/** The error of an inference whose stored request is damaged. */
export const unreadableWork: ErrorRecord = recordOf('internal_error', 'The stored request cannot be read; send it again.')

/** Counts of failed attempts; released ones do not count. */
export interface AttemptTally {
  /** Attempts that killed their engine. */
  readonly deadly: number
  /** Attempts with a lost worker or a temporary failure. */
  readonly failed: number
}

/** Whether an inference may be retried. */
export function mayRetry({ deadly, failed }: AttemptTally): boolean {
  return deadly < maxDeadlyAttempts && deadly + failed < maxAttempts
}

/** The completion of an inference whose last attempt failed. */
export function failedBy({ error, output }: Pick<AttemptFailure, 'error' | 'output'>): Completion {
  return { outcome: 'failed', error, ...(output !== undefined && { output }) }
}
