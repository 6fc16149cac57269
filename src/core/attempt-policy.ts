import { maxAttempts, maxDeadlyAttempts } from './inference.ts'

/** Attempts that ended without completing; those given back do not count. */
export interface AttemptTally {
  /** Attempts whose engine died. */
  readonly deadly: number
  /** Attempts whose worker was lost, or reported a failure that may pass. */
  readonly failed: number
}

/** Whether an inference may run again after these attempts. */
export function mayRetry({ deadly, failed }: AttemptTally): boolean {
  return deadly < maxDeadlyAttempts && deadly + failed < maxAttempts
}
