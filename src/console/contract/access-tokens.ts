import type { AccessToken, Scope } from '../../core/access-token.ts'
import type { Budget } from '../../core/limits/budget.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'

/** A token as shown to its owner. */
export interface ListedToken extends Omit<AccessToken, 'hash' | 'accountId'> {
  /** The used share of each of its own limits. */
  readonly budgets: readonly Budget[]
}

/** PUT /console/api/tokens/:id/limits. Absent limits are removed. */
export interface TokenLimits {
  readonly limits: Partial<UseLimits>
}

/** GET /console/api/tokens. */
export interface TokenList {
  /** Whether programs on the service's machine need no token. */
  readonly openOnLoopback: boolean
  readonly tokens: readonly ListedToken[]
}

/** POST /console/api/tokens. */
export interface NewToken {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Unix milliseconds; absent = never. */
  readonly expiresAt?: number
}

/** The answer to a new token. Only this answer contains its text. */
export interface TokenText {
  readonly text: string
}
