import type { Account, Invitation, Role } from '../../core/account.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'

/** GET /console/api/people. */
export interface People {
  readonly accounts: readonly Account[]
  /** Ids of the accounts that have a second factor. */
  readonly secondFactors: readonly string[]
  /** Ids of the accounts whose requests are logged. */
  readonly logged: readonly string[]
  /** Only valid ones. */
  readonly invitations: readonly Invitation[]
}

/** PATCH /console/api/accounts/:id; absent fields are unchanged. */
export interface AccountUpdate {
  readonly role?: Role
  readonly disabled?: boolean
  /** Absent limits are unchanged, null ones are removed. */
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
  /** The account whose sign-in the link resets; absent = a new account. */
  readonly accountId?: string
  /** For whom it is; shown in the list of open invitations. */
  readonly note?: string
}

/** The answer to a new invitation; the code is not stored. */
export interface InvitationMade {
  readonly code: string
}
