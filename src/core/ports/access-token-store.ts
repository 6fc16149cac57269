import type { AccessToken } from '../access-token.ts'
import type { UseLimits } from '../limits/use-limits.ts'

type Options = { readonly signal: AbortSignal }

/** A token as its account names it. */
export interface TokenTarget {
  readonly id: string
  readonly accountId: string
}

/** Keeps access tokens by their hash. */
export interface AccessTokenStore {
  /**
   * Keeps a token, unless its account has `most` that can still be used; of those that cannot it keeps the newest `most`.
   *
   * @returns Whether it was kept.
   */
  create(token: AccessToken, options: Options & { readonly most?: number }): Promise<boolean>
  /** The token of this hash, also one that is revoked or has expired; null when there is none. */
  findByHash(hash: string, options: Options): Promise<AccessToken | null>
  /** An account's tokens, oldest first, those that cannot be used any more among them. */
  list(accountId: string, options: Options): Promise<readonly AccessToken[]>
  /** Revokes it, once: a second revocation keeps the time of the first. False when the account has no such token. */
  revoke(target: TokenTarget, revokedAt: number, options: Options): Promise<boolean>
  /** Takes a revocation back that is not older than `since`; false when there is none. */
  restore(target: TokenTarget, since: number, options: Options): Promise<boolean>
  /** Revokes every token of an account that is not revoked yet; says how many. */
  revokeAll(accountId: string, revokedAt: number, options: Options): Promise<number>
  /** Those of these tokens that are revoked, or not kept any more. */
  revokedOf(ids: readonly string[], options: Options): Promise<readonly string[]>
  /** Changes those of its limits that are given; false when the account has no such token. */
  limit(target: TokenTarget, limits: Partial<UseLimits>, options: Options): Promise<boolean>
  /** Notes when a token was last used, in Unix milliseconds; nothing happens when there is none. */
  touch(id: string, lastUsedAt: number, options: Options): Promise<void>
}
