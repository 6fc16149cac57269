import type { AccessToken } from '../access-token.ts'

type Options = { readonly signal: AbortSignal }

/** Keeps access tokens by their hash. */
export interface AccessTokenStore {
  create(token: AccessToken, options: Options): Promise<void>
  findByHash(hash: string, options: Options): Promise<AccessToken | null>
  list(accountId: string, options: Options): Promise<readonly AccessToken[]>
  /** Sets or clears the revocation; false when the account has no such token. */
  setRevoked(target: { readonly id: string; readonly accountId: string }, revokedAt: number | null, options: Options): Promise<boolean>
  touch(id: string, lastUsedAt: number, options: Options): Promise<void>
}
