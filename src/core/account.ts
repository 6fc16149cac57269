/** Who may use the service. Times in Unix milliseconds. */
export interface Account {
  readonly id: string
  readonly name: string
  /** Sign-in name; null for an account that only uses tokens. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: number
  readonly disabledAt: number | null
  readonly limits: AccountLimits
}

/** How much an account may use, as an owner sets it. */
export interface AccountLimits {
  /** null = as many as the service allows everybody. */
  readonly requestsPerMinute: number | null
  /** Tokens read and written per UTC day; null = unlimited. */
  readonly tokensPerDay: number | null
  /** Images per UTC day; null = unlimited. */
  readonly imagesPerDay: number | null
  /** Tokens read and written per calendar month of UTC; null = unlimited. */
  readonly tokensPerMonth: number | null
  /** Images per calendar month of UTC; null = unlimited. */
  readonly imagesPerMonth: number | null
}

/** What others change of an account; what is left out stays. */
export interface AccountChange {
  readonly role?: Role
  /** Unix milliseconds; null = let in again. */
  readonly disabledAt?: number | null
  readonly limits?: Partial<AccountLimits>
}

/** The whole numbers that each limit may be. */
export const limitRanges: Readonly<Record<keyof AccountLimits, { readonly least: number; readonly most: number }>> = {
  requestsPerMinute: { least: 1, most: 1_000_000 },
  tokensPerDay: { least: 0, most: 1_000_000_000_000 },
  imagesPerDay: { least: 0, most: 1_000_000_000 },
  tokensPerMonth: { least: 0, most: 1_000_000_000_000 },
  imagesPerMonth: { least: 0, most: 1_000_000_000 },
}

/** Characters that a password has at least. */
export const shortestPassword = 10

/** What a new account starts with. */
export const noLimits: AccountLimits = {
  requestsPerMinute: null,
  tokensPerDay: null,
  imagesPerDay: null,
  tokensPerMonth: null,
  imagesPerMonth: null,
}

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
