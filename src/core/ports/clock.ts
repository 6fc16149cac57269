import type { Abortable } from '../waiting.ts'

/** An hour in milliseconds. */
export const hourMs = 60 * 60 * 1000
/** A day in milliseconds. */
export const dayMs = 24 * hourMs

/** The service's time source, replaceable in tests. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Milliseconds since an arbitrary start. Unlike `now`, changes of the system's time do not affect it, so durations are measured by it. */
  steadyNow(): number
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  wait(ms: number, options: Abortable): Promise<void>
}
