import { ServiceError } from './error.ts'
import type { AccountLimits, UseLimits } from './limits/use-limits.ts'

/** Scopes of a token: generating text, drawing images, reading stored data. */
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
  /** Limits of the token itself; the limits of its account apply as well. */
  readonly limits: UseLimits
}

/** The authenticated sender of a request. */
export interface Caller {
  readonly accountId: string
  /** null when a console session, not a token, authenticated it. */
  readonly tokenId: string | null
  readonly scopes: readonly Scope[]
  /** Whether error answers include their causes; set only for owners at the console. */
  readonly ownerSeesCauses?: true
  /** Requests per minute allowed for the token itself; absent = only the account's limit applies. */
  readonly requestsPerMinute?: number
  /** Limits of the account, up to a few seconds out of date. */
  readonly accountLimits: AccountLimits
}

/** The error for a revoked token. */
export function tokenRevoked(): ServiceError {
  return new ServiceError('token_revoked', 'This access token was revoked; use another one.')
}
