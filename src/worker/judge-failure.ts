import { type ErrorCode, type ErrorRecord, isNotStarted, ServiceError, toFailureRecord } from '../core/error.ts'

/** A worker's reaction to a failed inference. */
export type Judgement =
  /** The request is at fault, or would fail again. */
  | { readonly action: 'fail'; readonly error: ErrorRecord }
  /** Counts as an attempt and may succeed next time; `deadly` if the engine died. */
  | { readonly action: 'retry'; readonly error: ErrorRecord; readonly deadly: boolean; readonly delayMs: number }
  /** The attempt never started. */
  | { readonly action: 'release'; readonly delayMs: number }

/** Delay before the second attempt; each later one is five times as long, which gives a model time to restart. */
const firstRetryMs = 1000
const longestRetryMs = 60_000
/**
 * First delay for an upstream that reported a failure: nothing is restarted here, and three attempts together outlast a minute of failures.
 */
const firstServerRetryMs = 12_000
/** Delay for an unavailable upstream, such as one that is restarting. */
const unavailableDelayMs = 5000

/** Errors that mean waiting, not failure. */
const waiting: readonly ErrorCode[] = [
  'server_is_overloaded',
  'concurrency_limit_exceeded',
  'rate_limit_exceeded',
  'shutting_down',
  'model_loading',
]

/**
 * @param attempt The failed attempt, from 1.
 * @param isRead Whether a client is reading the output, which should see the error rather than wait for another attempt.
 */
export function judgeFailure(failure: unknown, attempt: number, isRead = false): Judgement {
  const error = toFailureRecord(failure)
  if (isRead && !waiting.includes(error.code)) return { action: 'fail', error }
  const isEngineAlive = failure instanceof ServiceError && failure.isEngineAlive
  const retryDelayMs = Math.min((isEngineAlive ? firstServerRetryMs : firstRetryMs) * 5 ** (attempt - 1), longestRetryMs)
  const requestedMs = failure instanceof ServiceError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0
  const delayMs = Math.max(requestedMs, retryDelayMs)
  if (isNotStarted(failure)) return { action: 'release', delayMs: requestedMs || unavailableDelayMs }
  switch (error.code) {
    case 'server_is_overloaded':
    case 'concurrency_limit_exceeded':
    // A budget of a minute is exhausted for now.
    case 'rate_limit_exceeded':
    case 'shutting_down':
      return { action: 'release', delayMs: requestedMs || firstRetryMs }
    case 'inference_failed':
      return { action: 'retry', error, deadly: !isEngineAlive, delayMs }
    case 'model_loading':
    case 'internal_error':
      return { action: 'retry', error, deadly: false, delayMs }
    default:
      return { action: 'fail', error }
  }
}
