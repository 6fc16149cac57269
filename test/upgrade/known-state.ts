/** The known contents of a release's data folder; stored beside it. */
export interface KnownState {
  /** When it was written, in Unix milliseconds: what is kept for a time is judged from then. */
  readonly at: number
  readonly people: Readonly<Record<'owner' | 'member', Credentials & { readonly email: string }>>
  readonly password: string
  /** The answer of the release. */
  readonly readings: readonly Reading[]
  /** Accepted, and not ended when the release was killed. */
  readonly unfinished: readonly { readonly by: 'owner' | 'member'; readonly id: string }[]
}

/** The answer to one person at one address. */
export interface Reading {
  readonly by: 'owner' | 'member'
  readonly path: string
  /** Text where the answer was not JSON. */
  readonly body: unknown
}

/** The credentials of a person. */
export interface Credentials {
  readonly token: string | null
  /** Of a signed-in browser; empty = none. */
  readonly cookie: string
}
