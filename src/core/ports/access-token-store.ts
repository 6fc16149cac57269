import type { AccessToken } from '../access-token.ts'
import type { UseLimits } from '../limits/use-limits.ts'

type Options = { readonly signal: AbortSignal }

/** A token of a given account. */
export interface TokenTarget {
  readonly id: string
  readonly accountId: string
}

/** Stores access tokens by their hash. */
export interface AccessTokenStore {
  /**
   * Stores a token unless its account already has `most` usable ones. Of unusable ones only the newest `most` are kept.
   *
   * @returns Whether it was stored.
   */
  create(token: AccessToken, options: Options & { readonly most?: number }): Promise<boolean>
  /** Finds a token by hash, including revoked and expired ones; null = none. */
  findByHash(hash: string, options: Options): Promise<AccessToken | null>
  /** All tokens of an account, oldest first, including unusable ones. */
  list(accountId: string, options: Options): Promise<readonly AccessToken[]>
  /** Revokes a token; revoking it again keeps the first time. False = the account has no such token. */
  revoke(target: TokenTarget, revokedAt: number, options: Options): Promise<boolean>
  /** Undoes a revocation made at or after `since`; false = there is none. */
  restore(target: TokenTarget, since: number, options: Options): Promise<boolean>
  /** Revokes all tokens of an account; returns how many were not yet revoked. */
  revokeAll(accountId: string, revokedAt: number, options: Options): Promise<number>
  /** The tokens among `ids` that are revoked or deleted. */
  revokedOf(ids: readonly string[], options: Options): Promise<readonly string[]>
  /** Changes the given limits; false = the account has no such token. */
  limit(target: TokenTarget, limits: Partial<UseLimits>, options: Options): Promise<boolean>
  /** Records the last use of a token, in Unix milliseconds; ignores unknown tokens. */
  touch(id: string, lastUsedAt: number, options: Options): Promise<void>
}
