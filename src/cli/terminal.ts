/** What {@link Terminal.ask} resolves to where the person ended the input with Ctrl-D instead of answering. */
export const endOfInput = '\u0004'

/** The standard streams, as far as commands need them. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether standard error is watched by a person. */
  readonly interactive: boolean
  /** Whether standard output is watched by a person. */
  readonly printsToPerson: boolean
  /** Whether colours may be used: on a terminal, unless NO_COLOR is set. */
  readonly color: boolean
  /** Asks a question and resolves to the typed line; null when nobody can answer, {@link endOfInput} after Ctrl-D. A `secret` is not shown while it is typed. */
  readonly ask: (question: string, options: { readonly signal: AbortSignal; readonly secret?: boolean }) => Promise<string | null>
  /** All of standard input, without its last line break; null when a person sits there. */
  readonly readInput: () => Promise<string | null>
}
