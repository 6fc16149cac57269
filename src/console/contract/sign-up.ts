import type { Role } from '../../core/account.ts'
import type { SignInWays } from './session.ts'

/** POST /console/api/invitation. */
export interface InvitationCode {
  readonly code: string
}

/** The purpose of a code. */
export interface InvitationShown {
  readonly role: Role
  /** Whether the code is from the first start, not from an owner. */
  readonly firstRun: boolean
  readonly ways: SignInWays
}

/** POST /console/api/sign-up. */
export interface SignUp extends InvitationCode {
  readonly name: string
  readonly email: string
  readonly password: string
}
