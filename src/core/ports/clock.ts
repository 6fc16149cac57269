import type { Abortable } from '../waiting.ts'

/** The service's time source, replaceable in tests. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  wait(ms: number, options: Abortable): Promise<void>
}
