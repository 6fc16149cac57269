import type { AccessToken, Scope } from '../../core/access-token.ts'
import type { Budget } from '../../core/limits/budget.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'

/** A token as its owner may see it. */
export interface ListedToken extends Omit<AccessToken, 'hash' | 'accountId'> {
  /** How much of each of its own limits is gone. */
  readonly budgets: readonly Budget[]
}

/** PUT /console/api/tokens/:id/limits; what is left out is lifted. */
export interface TokenLimits {
  readonly limits: Partial<UseLimits>
}

/** GET /console/api/tokens. */
export interface TokenList {
  /** Whether programs on the service's machine need none. */
  readonly openOnLoopback: boolean
  readonly tokens: readonly ListedToken[]
}

/** POST /console/api/tokens. */
export interface NewToken {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Unix milliseconds; left out = no end. */
  readonly expiresAt?: number
}

/** The answer to a new token; its text is in this answer and nowhere else, ever. */
export interface TokenText {
  readonly text: string
}
