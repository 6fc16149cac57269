import type { Account } from '../../core/account.ts'

/** GET /console/api/session. */
export interface CurrentSession {
  /** null = nobody is signed in. */
  readonly account: Account | null
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
