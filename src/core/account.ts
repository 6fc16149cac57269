import { ServiceError } from './error.ts'
import type { AccountLimits } from './limits/use-limits.ts'

/** A user of the service. Times in Unix milliseconds. */
export interface Account {
  readonly id: string
  readonly name: string
  /** Sign-in name; null for an account that only uses tokens. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: number
  readonly disabledAt: number | null
  /** Set by an owner. */
  readonly limits: AccountLimits
}

/** Changes to an account made by somebody else; absent fields stay as they are. */
export interface AccountChange {
  readonly role?: Role
  /** Unix milliseconds; null = enabled again. */
  readonly disabledAt?: number | null
  readonly limits?: Partial<AccountLimits>
}

/** Minimum length of a password, in characters. */
export const shortestPassword = 10

/** Owners invite people and see every account and node; members see only their own things. */
export type Role = 'owner' | 'member'

/** A browser's signed-in session; the cookie's value is kept only as its hash. */
export interface Session {
  /** Hex SHA-256 of the cookie value. */
  readonly hash: string
  readonly accountId: string
  /** Client address at sign-in; null = the session is older than this field. */
  readonly address: string | null
  /** The browser's `User-Agent`; null = none was sent. */
  readonly agent: string | null
  readonly createdAt: number
  readonly expiresAt: number
  /** Time of the last use, accurate to five minutes; null = the session is older than this field. */
  readonly lastUsedAt: number | null
}

/** A one-time code that lets one person create an account; kept only as its hash. */
export interface Invitation {
  /** Hex SHA-256 of the code. */
  readonly hash: string
  readonly role: Role
  /** The account to sign in to (on first run, the existing owner's); null = a new account. */
  readonly accountId: string | null
  readonly invitedBy: string | null
  /** For whom it is, in the inviter's words; null = not stated. */
  readonly note: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** Whether the account exists and is enabled. */
export function isEnabled(account: Account | null): boolean {
  return account !== null && account.disabledAt === null
}

/** The error for requests of a disabled account. */
export function accountDisabled(): ServiceError {
  return new ServiceError('invalid_token', 'The account of this access token is disabled; ask an owner of the service.')
}
