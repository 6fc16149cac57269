/** A number of things and the seconds that they took together. */
export interface Timed {
  readonly count: number
  readonly seconds: number
}

/** What a node has done since it started, in sums that only grow, and the memory it has now. */
export interface NodeTally {
  /** Unix milliseconds; another moment means that the sums began anew. */
  readonly startedAt: number
  /** Of its own models, whichever node was asked. */
  readonly completionTokens: number
  /** Of those who asked here: pieces of work on a model, ended however they did. */
  readonly requests: number
  /** From a request to its first token. */
  readonly firstTokens: Timed
  /** Denoising steps of one picture. */
  readonly steps: Timed
  /** Resident bytes of its process, without those of its models. */
  readonly residentBytes: number
}
