import type { Account } from '../../core/account.ts'

/** GET /console/api/session. */
export interface CurrentSession {
  /** null = nobody is signed in. */
  readonly account: Account | null
  readonly ways: SignInWays
}

/** How people may sign in here. */
export interface SignInWays {
  readonly password: boolean
  /** What the button of the organisation's sign-in says; null = there is none. */
  readonly organisation: string | null
}

/** POST /console/api/sign-in/openid: begins a sign-in at the organisation's provider. */
export interface OpenIdStart {
  /** Path of the page to come back to; left out = the first one. */
  readonly page?: string
  /** Code of an invitation to use up. */
  readonly code?: string
  /** Whether to link it to the account that is signed in. */
  readonly link?: boolean
}

/** Where the browser has to go now. */
export interface OpenIdStarted {
  readonly address: string
}

/** POST /console/api/session. */
export interface Credentials {
  readonly email: string
  readonly password: string
}

/** The answer to signing in, to joining and to a changed account. */
export interface SignedIn {
  readonly account: Account
}
