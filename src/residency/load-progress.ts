import { ServiceError } from '../core/error.ts'
import { toSeconds } from './retry-after.ts'

/** How far a load is. */
export interface LoadProgress {
  /** Unix milliseconds. */
  readonly startedAt: number
  /** 0 to 1; null = its engine has not told. */
  readonly part: number | null
}

/** How long who comes too early should wait, where nothing tells. */
const unknownMs = 5000

/** The error of who waited for a load longer than anybody may: how far it is, and when it should be done. */
export function makeLoadingError(modelId: string, progress: LoadProgress | undefined, now: number): ServiceError {
  const { part = null, startedAt = now } = progress ?? {}
  const leftMs = part === null || part === 0 ? unknownMs : ((now - startedAt) * (1 - part)) / part
  const retryAfterSeconds = toSeconds(leftMs)
  const how = part === null ? 'still being loaded' : `still being loaded (${Math.floor(part * 100)} %)`
  return new ServiceError('model_loading', `The model ${modelId} is ${how}; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}
