import type { Account, Invitation, Role } from '../../core/account.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'

/** GET /console/api/people. */
export interface People {
  readonly accounts: readonly Account[]
  /** Ids of the accounts that have a second factor. */
  readonly secondFactors: readonly string[]
  /** Ids of the accounts whose requests are logged. */
  readonly logged: readonly string[]
  /** Those that can still be used. */
  readonly invitations: readonly Invitation[]
}

/** PATCH /console/api/accounts/:id; what is left out stays. */
export interface AccountUpdate {
  readonly role?: Role
  readonly disabled?: boolean
  /** Taken as a whole: a limit that is left out or null is lifted. */
  readonly limits?: Partial<AccountLimits>
}

/** POST /console/api/accounts/:id/deletion. */
export interface AccountDeletion {
  /** The account's name, typed to confirm. */
  readonly name: string
}

/** POST /console/api/invitations. */
export interface NewInvitation {
  readonly role: Role
  /** The account whose sign-in the link resets; left out = a new account. */
  readonly accountId?: string
}

/** The answer to a new invitation; the code is kept nowhere. */
export interface InvitationMade {
  readonly code: string
}
