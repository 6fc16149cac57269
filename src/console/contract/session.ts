import type { Account, Session } from '../../core/account.ts'
import type { BodyLogSwitch } from '../../core/requests/logged-body.ts'
import type { SecondFactorBegun } from './second-factor.ts'

/** GET /console/api/session. */
export interface CurrentSession {
  /** null = not signed in. */
  readonly account: Account | null
  /** When the account's request log was switched on, and its retention; null = off. */
  readonly requestLog: Omit<BodyLogSwitch, 'accountId'> | null
  readonly ways: SignInWays
  /** Whether the first-run link has not been used yet, so that nobody can sign in. */
  readonly firstRun: boolean
  /** The command line as it is typed: `./sepia` in a clone of the repository. */
  readonly command: 'sepia' | './sepia'
  /** ISO 4217 code of the currency of prices; null = amounts are plain numbers. */
  readonly currency: string | null
  /** Size limit of an asynchronous request, in bytes. */
  readonly mostBodyBytes: number
}

/** The available ways to sign in. */
export interface SignInWays {
  readonly password: boolean
  /** Passkeys need a host name, and HTTPS except on this machine. */
  readonly passkey: boolean
  /** The label of the organisation's sign-in; null = there is none. */
  readonly organisation: string | null
}

/** POST /console/api/sign-in/openid: begins a sign-in at the organisation's provider. */
export interface OpenIdStart {
  /** Path of the page to return to; absent = the start page. */
  readonly page?: string
  /** Code of an invitation to use. */
  readonly code?: string
  /** Whether to link the identity to the signed-in account. */
  readonly link?: boolean
}

/** The address for the browser to go to. */
export interface OpenIdStarted {
  readonly address: string
}

/** POST /console/api/session. */
export interface Credentials {
  readonly email: string
  readonly password: string
  /** Code of the second factor, if it was required. */
  readonly code?: string
}

/** The answer to signing in, joining and changing the account. */
export interface SignedIn {
  readonly account: Account
  /** Recovery codes of a second factor that was set up with this sign-in. They are not stored in readable form. */
  readonly recoveryCodes?: readonly string[] | undefined
}

/** The password was right, and a code is required: of the second factor, or of a new one to set up. */
export type SecondFactorRequired =
  | { readonly account: null; readonly asks: 'code' }
  | ({ readonly account: null; readonly asks: 'enrolment' } & SecondFactorBegun)

/** The sign-in was set, but a second factor must be confirmed or set up first. */
export interface SignInRequested {
  readonly account: null
  readonly asks: 'sign-in'
}

/** A signed-in browser. */
export interface ListedSession extends Pick<Session, 'address' | 'agent' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  readonly id: string
  /** Whether it is the requesting browser's own session. */
  readonly current: boolean
}

/** GET /console/api/sessions. DELETE /console/api/sessions/:id ends one; DELETE /console/api/sessions ends all except the caller's own. */
export interface SessionList {
  /** Newest first. */
  readonly sessions: readonly ListedSession[]
}
