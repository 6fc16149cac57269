import { ServiceError } from './error.ts'
import type { AccountLimits } from './limits/use-limits.ts'

/** Who may use the service. Times in Unix milliseconds. */
export interface Account {
  readonly id: string
  readonly name: string
  /** Sign-in name; null for an account that only uses tokens. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: number
  readonly disabledAt: number | null
  /** As an owner sets them. */
  readonly limits: AccountLimits
}

/** What others change of an account; what is left out stays. */
export interface AccountChange {
  readonly role?: Role
  /** Unix milliseconds; null = let in again. */
  readonly disabledAt?: number | null
  readonly limits?: Partial<AccountLimits>
}

/** Characters that a password has at least. */
export const shortestPassword = 10

/** Owners invite people and see every account and node; members see only their own things. */
export type Role = 'owner' | 'member'

/** A browser's signed-in session; the cookie's value is kept only as its hash. */
export interface Session {
  /** Hex SHA-256 of the cookie value. */
  readonly hash: string
  readonly accountId: string
  /** Where it was opened from; null = before that was noted. */
  readonly address: string | null
  /** What the browser said it is; null = nothing. */
  readonly agent: string | null
  readonly createdAt: number
  readonly expiresAt: number
  /** When it was last used, give or take five minutes; null = before that was noted. */
  readonly lastUsedAt: number | null
}

/** A one-time code that lets one person create an account; kept only as its hash. */
export interface Invitation {
  /** Hex SHA-256 of the code. */
  readonly hash: string
  readonly role: Role
  /** The account to sign in to (first run: the owner's that exists already); null = a new account. */
  readonly accountId: string | null
  readonly invitedBy: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** Whether an account that was looked for is there and may use the service. */
export function isEnabled(account: Account | null): boolean {
  return account !== null && account.disabledAt === null
}

/** The error for requests of a disabled account. */
export function accountDisabled(): ServiceError {
  return new ServiceError('invalid_token', 'The account of this access token is disabled; ask an owner of the service.')
}
