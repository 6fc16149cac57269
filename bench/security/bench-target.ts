/** A server of the bench, and the tokens of two accounts on it. */
export interface BenchTarget {
  readonly url: string
  readonly honest: string
  readonly enemy: string
}

/** The report of a server since its last reset. */
export interface HeldReport {
  /** The longest that its event loop was held. */
  readonly heldMs: number
  /** The most processor time that the event loop's thread took in one turn; unlike the rest it does not depend on what else runs. */
  readonly busyMs: number
  readonly peakBytes: number
}
