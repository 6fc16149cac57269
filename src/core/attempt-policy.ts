import { maxAttempts, maxLostAttempts } from './inference.ts'

/** Attempts that ended without completing; those given back do not count. */
export interface AttemptTally {
  /** Attempts whose engine died. */
  readonly lost: number
  /** Attempts whose worker was lost, or reported a failure that may pass. */
  readonly failed: number
}

/** Whether an inference may run again after these attempts. */
export function mayRetry({ lost, failed }: AttemptTally): boolean {
  return lost < maxLostAttempts && lost + failed < maxAttempts
}
