/** A fragment's additions to reasoning and text. */
export interface ReadThoughts {
  readonly thoughts: string
  readonly text: string
}

/** Separates reasoning from the answer while fragments arrive. */
export interface ThoughtReader {
  /** Whether the next text is reasoning. */
  readonly inside: boolean
  /** Whether the next text is the answer, or markup around it. */
  readonly answering: boolean
  /** The start of a call that began within the reasoning, as spelled by the model; null = none. */
  readonly callHead?: string | null
  /** Characters that may still become a mark. */
  readonly held: number
  add(fragment: string): ReadThoughts
  /** Returns held-back text at the end. */
  flush(): ReadThoughts
}
