import type { Budget } from '../../core/limits/budget.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'

/** GET /console/api/account/limits: the limits of the signed-in account, and what of them is used. */
export interface OwnLimits {
  readonly limits: AccountLimits
  readonly budgets: readonly Budget[]
}

/** POST /console/api/account/deletion. */
export interface OwnDeletion {
  /** The account's name, typed to confirm. */
  readonly name: string
  /** Of those who have one. */
  readonly password?: string
}

/** PATCH /console/api/account. */
export interface AccountChange {
  readonly name: string
  readonly email: string
  readonly currentPassword: string
  /** Left out = the one there is. */
  readonly newPassword?: string
  /** Whether the account's access tokens end too; left out = they stay. */
  readonly revokeTokens?: boolean
}
