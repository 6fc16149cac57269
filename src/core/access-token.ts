import { ServiceError } from './error.ts'
import type { AccountLimits, UseLimits } from './limits/use-limits.ts'

/** What a token may be good for: generating text, drawing images, reading what there is. */
export const scopes = ['text', 'image', 'read'] as const
export type Scope = (typeof scopes)[number]

/** An access token as stored: only its hash. Times in Unix milliseconds. */
export interface AccessToken {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Hex SHA-256 of the whole token text. */
  readonly hash: string
  /** The last four characters, to tell tokens apart. */
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** Written at most once a minute. */
  readonly lastUsedAt: number | null
  /** Of its own, within those of its account. */
  readonly limits: UseLimits
}

/** Who a request speaks for. */
export interface Caller {
  readonly accountId: string
  /** null when a console session, not a token, authenticated it. */
  readonly tokenId: string | null
  readonly scopes: readonly Scope[]
  /** Whether failures tell it their causes: only an owner at the console hears them. */
  readonly ownerSeesCauses?: true
  /** Requests a minute of the token itself; absent = only those of its account. */
  readonly requestsPerMinute?: number
  /** Of its account, a few seconds late at most. */
  readonly accountLimits: AccountLimits
}

/** The error for a revoked token. */
export function tokenRevoked(): ServiceError {
  return new ServiceError('token_revoked', 'This access token was revoked; use another one.')
}
