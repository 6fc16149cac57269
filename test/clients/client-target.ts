/** A running service that a client suite talks to: fakes in the quick tests, the real thing in the end-to-end ones. */
export interface ClientTarget extends AsyncDisposable {
  /** Origin without a trailing slash. */
  readonly url: string
  /** Of a token with every scope. */
  readonly token: string
  readonly chatModel: string
  readonly imageModel: string
  /** Absent = there is none. */
  readonly rankModel?: string
  /** A question the chat model answers in a few words. */
  readonly question: string
}
