import { maxAttempts, maxLostAttempts } from './inference.ts'

/** Attempts that ended without completing; drained ones do not count. */
export interface AttemptTally {
  /** Attempts whose worker or engine died. */
  readonly lost: number
  /** Attempts whose worker lived and reported a failure that may pass. */
  readonly failed: number
}

/** Whether an inference may run again after these attempts. */
export function mayRetry({ lost, failed }: AttemptTally): boolean {
  return lost < maxLostAttempts && lost + failed < maxAttempts
}
