import type { Account, Session } from '../../core/account.ts'
import type { BodyLogSwitch } from '../../core/requests/logged-body.ts'
import type { SecondFactorBegun } from './second-factor.ts'

/** GET /console/api/session. */
export interface CurrentSession {
  /** null = nobody is signed in. */
  readonly account: Account | null
  /** Since when and for how long the bodies of one's requests are kept; null = they are not. */
  readonly requestLog: Omit<BodyLogSwitch, 'accountId'> | null
  readonly ways: SignInWays
  /** Whether nobody can sign in yet: the link of the first start has not been followed. */
  readonly firstRun: boolean
  /** Bytes of an asynchronous request. */
  readonly mostBodyBytes: number
}

/** How people may sign in here. */
export interface SignInWays {
  readonly password: boolean
  /** Passkeys need an address by name, and HTTPS but on this machine. */
  readonly passkey: boolean
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
  /** Of the second factor, once it was asked for. */
  readonly code?: string
}

/** The answer to signing in, to joining and to a changed account. */
export interface SignedIn {
  readonly account: Account
  /** Of a second factor that was set with this sign-in; they are kept nowhere else. */
  readonly recoveryCodes?: readonly string[]
}

/** The password was right, and a code is asked for: of the second factor, or of one to be set up now. */
export type SecondFactorRequired =
  | { readonly account: null; readonly asks: 'code' }
  | ({ readonly account: null; readonly asks: 'enrolment' } & SecondFactorBegun)

/** The sign-in was set, but there is a second factor to show, or to set, first. */
export interface SignInRequested {
  readonly account: null
  readonly asks: 'sign-in'
}

/** A browser that is signed in. */
export interface ListedSession extends Pick<Session, 'address' | 'agent' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  readonly id: string
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** GET /console/api/sessions; DELETE /console/api/sessions/:id ends one, DELETE /console/api/sessions all but the one that asks. */
export interface SessionList {
  /** Newest first. */
  readonly sessions: readonly ListedSession[]
}
