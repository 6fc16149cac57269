import { type ErrorCode, type ErrorRecord, ServiceError, toErrorRecord } from '../error.ts'
import { maxAttempts, maxDeadlyAttempts } from '../inference.ts'
import type { AttemptFailure, Completion } from '../ports/inference-queue.ts'

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
