import { type ErrorCode, type ErrorRecord, isUnbegun, ServiceError, toFailureRecord } from '../core/error.ts'

/** What a worker does with an inference that failed. */
export type Judgement =
  /** The request itself is at fault, or running it again would end the same way. */
  | { readonly action: 'fail'; readonly error: ErrorRecord }
  /** It counts as an attempt and may succeed next time; `deadly` when the engine died of it. */
  | { readonly action: 'retry'; readonly error: ErrorRecord; readonly deadly: boolean; readonly delayMs: number }
  /** It never started. */
  | { readonly action: 'release'; readonly delayMs: number }

/** Wait before the second attempt; each later one waits five times as long, so that a model has time to come back. */
const firstRetryMs = 1000
const longestRetryMs = 60_000
/** Instead of the first, for a server that says that it failed: nothing reloads it here, and three attempts together outlast a minute of failures. */
const firstServerRetryMs = 12_000
/** Wait for what was not there, such as a server that is started again. */
const awayMs = 5000

/** What has not failed, but waits for its turn. */
const waiting: readonly ErrorCode[] = [
  'server_is_overloaded',
  'concurrency_limit_exceeded',
  'rate_limit_exceeded',
  'shutting_down',
  'model_loading',
]

/**
 * @param attempt The attempt that failed, from 1.
 * @param isRead Whether somebody reads what it writes, who would rather see what failed than wait for another attempt.
 */
export function judgeFailure(failure: unknown, attempt: number, isRead = false): Judgement {
  const error = toFailureRecord(failure)
  if (isRead && !waiting.includes(error.code)) return { action: 'fail', error }
  const isSurvived = failure instanceof ServiceError && failure.isSurvived
  const retryDelayMs = Math.min((isSurvived ? firstServerRetryMs : firstRetryMs) * 5 ** (attempt - 1), longestRetryMs)
  const requestedMs = failure instanceof ServiceError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0
  const delayMs = Math.max(requestedMs, retryDelayMs)
  if (isUnbegun(failure)) return { action: 'release', delayMs: requestedMs || awayMs }
  switch (error.code) {
    case 'server_is_overloaded':
    case 'concurrency_limit_exceeded':
    // A budget of a minute has too little left for it now.
    case 'rate_limit_exceeded':
    case 'shutting_down':
      return { action: 'release', delayMs: requestedMs || firstRetryMs }
    case 'inference_failed':
      return { action: 'retry', error, deadly: !isSurvived, delayMs }
    case 'model_loading':
    case 'internal_error':
      return { action: 'retry', error, deadly: false, delayMs }
    default:
      return { action: 'fail', error }
  }
}
