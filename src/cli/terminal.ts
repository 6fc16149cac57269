/** The standard streams, as far as commands need them. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether standard error is watched by a person. */
  readonly interactive: boolean
  /** Asks a question and resolves to the typed line; null when nobody can answer. */
  readonly ask: (question: string, options: { readonly signal: AbortSignal }) => Promise<string | null>
}
