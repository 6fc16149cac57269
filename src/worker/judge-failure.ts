import { type ErrorRecord, ServiceError, toErrorRecord } from '../core/error.ts'

/** What a worker does with an inference that failed. */
export type Judgement =
  /** The request itself is at fault, or running it again would end the same way. */
  | { readonly action: 'fail'; readonly error: ErrorRecord }
  /** It counts as an attempt and may succeed next time; `lost` when the engine died of it. */
  | { readonly action: 'retry'; readonly error: ErrorRecord; readonly lost: boolean; readonly delayMs: number }
  /** It never started. */
  | { readonly action: 'release'; readonly delayMs: number }

/** Wait before an inference is tried again after the engine or a part of the service failed. */
const retryDelayMs = 1000

export function judgeFailure(failure: unknown): Judgement {
  const error = toErrorRecord(failure)
  const delayMs =
    failure instanceof ServiceError && failure.retryAfterSeconds !== undefined ? failure.retryAfterSeconds * 1000 : retryDelayMs
  switch (error.code) {
    case 'server_is_overloaded':
    case 'shutting_down':
      return { action: 'release', delayMs }
    case 'inference_failed':
      return { action: 'retry', error, lost: true, delayMs }
    case 'model_loading':
    case 'internal_error':
      return { action: 'retry', error, lost: false, delayMs }
    default:
      return { action: 'fail', error }
  }
}
