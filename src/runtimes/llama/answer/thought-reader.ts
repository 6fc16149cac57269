/** What a fragment of an answer adds to its thoughts, and to its text. */
export interface ReadThoughts {
  readonly thoughts: string
  readonly text: string
}

/** Tells the thoughts of an answer from its text while both arrive in fragments. */
export interface ThoughtReader {
  /** Whether what comes next is a thought. */
  readonly inside: boolean
  /** Whether what comes next is the answer, or what stands around it. */
  readonly answering: boolean
  /** The head of a call that has begun among the thoughts, as the model spells it; null = none has. */
  readonly callHead?: string | null
  /** Characters that may still become a mark. */
  readonly held: number
  add(fragment: string): ReadThoughts
  /** What was held back, once nothing more will come. */
  flush(): ReadThoughts
}
