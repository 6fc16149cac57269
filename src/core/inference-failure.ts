import { type ErrorRecord, ServiceError, toErrorRecord } from './error.ts'
import type { AttemptFailure } from './ports/inference-queue.ts'

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
