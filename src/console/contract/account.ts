import type { Budget } from '../../core/limits/budget.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'

/** GET /console/api/account/limits: the account's limits, and how much of them is used. */
export interface OwnLimits {
  readonly limits: AccountLimits
  readonly budgets: readonly Budget[]
}

/** POST /console/api/account/deletion. */
export interface OwnDeletion {
  /** The account's name, typed to confirm. */
  readonly name: string
  /** Required if the account has one. */
  readonly password?: string
}

/** PATCH /console/api/account. */
export interface AccountChange {
  readonly name: string
  readonly email: string
  readonly currentPassword: string
  /** Absent = unchanged. */
  readonly newPassword?: string
  /** Whether the account's access tokens are revoked too; absent = no. */
  readonly revokeTokens?: boolean
}
