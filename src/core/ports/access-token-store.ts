import type { AccessToken } from '../access-token.ts'
import type { UseLimits } from '../limits/use-limits.ts'
import type { Abortable } from '../waiting.ts'

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
  create(token: AccessToken, options: Abortable & { readonly most?: number | undefined }): Promise<boolean>
  /** Finds a token by hash, including revoked and expired ones; null = none. */
  findByHash(hash: string, options: Abortable): Promise<AccessToken | null>
  /** All tokens of an account, oldest first, including unusable ones. */
  list(accountId: string, options: Abortable): Promise<readonly AccessToken[]>
  /** Revokes a token; false = it is revoked already, or the account has no such token. */
  revoke(target: TokenTarget, revokedAt: number, options: Abortable): Promise<boolean>
  /** Undoes a revocation made at or after `since`; false = there is none, or the account already has `most` usable tokens. */
  restore(target: TokenTarget, since: number, options: Abortable & { readonly most?: number | undefined }): Promise<boolean>
  /** Revokes all tokens of an account; returns how many were not yet revoked. */
  revokeAll(accountId: string, revokedAt: number, options: Abortable): Promise<number>
  /** The tokens among `ids` that are revoked or deleted. */
  revokedOf(ids: readonly string[], options: Abortable): Promise<readonly string[]>
  /** The names of the stored tokens among `ids`. */
  namesOf(ids: readonly string[], options: Abortable): Promise<ReadonlyMap<string, string>>
  /** Changes the given limits; false = they are the same already, or the account has no such token. */
  limit(target: TokenTarget, limits: Partial<UseLimits>, options: Abortable): Promise<boolean>
  /** Records the last use of a token, in Unix milliseconds; ignores unknown tokens. */
  touch(id: string, lastUsedAt: number, options: Abortable): Promise<void>
}
