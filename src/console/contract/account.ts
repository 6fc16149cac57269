import type { Budget } from '../../core/limits/budget.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'

/** GET /console/api/account/limits: how much whoever is signed in may use, and what of it is gone. */
export interface OwnLimits {
  readonly limits: AccountLimits
  readonly budgets: readonly Budget[]
}

/** POST /console/api/account/deletion. */
export interface OwnDeletion {
  /** One's own name, typed to confirm. */
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
  /** Whether one's own access tokens end too; left out = they stay. */
  readonly revokeTokens?: boolean
}
