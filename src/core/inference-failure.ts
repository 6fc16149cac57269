import { type ErrorRecord, ServiceError, toErrorRecord } from './error.ts'

/** What an inference that was cancelled answers for its output. */
export const cancelled: ErrorRecord = toErrorRecord(new ServiceError('request_cancelled', 'The request was cancelled before it finished.'))

/** What an inference ends with that cost too many workers. */
export const lostWorkers: ErrorRecord = toErrorRecord(
  new ServiceError('inference_failed', 'The inference stopped its worker more than once; change the request before sending it again.'),
)

/** What an inference ends with that was pending for too long. */
export const waitedTooLong: ErrorRecord = toErrorRecord(
  new ServiceError('inference_timeout', 'The request waited too long for its turn; send it again.'),
)
