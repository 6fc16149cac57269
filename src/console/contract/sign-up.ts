import type { Role } from '../../core/account.ts'
import type { SignInWays } from './session.ts'

/** POST /console/api/invitation. */
export interface InvitationCode {
  readonly code: string
}

/** What a code is for. */
export interface InvitationShown {
  readonly role: Role
  /** Whether the code came from the first start instead of from an owner. */
  readonly firstRun: boolean
  readonly ways: SignInWays
}

/** POST /console/api/sign-up. */
export interface SignUp extends InvitationCode {
  readonly name: string
  readonly email: string
  readonly password: string
}
