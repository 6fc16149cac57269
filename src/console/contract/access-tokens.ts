import type { AccessToken, Scope } from '../../core/access-token.ts'

/** A token as its owner may see it. */
export type ListedToken = Omit<AccessToken, 'hash' | 'accountId'>

/** GET /console/api/tokens. */
export interface TokenList {
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
