import { randomUUID } from 'node:crypto'
import { type AccessToken, scopes as everyScope, type Scope } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { noUseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore } from '../../core/ports/access-token-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { hashAccessToken, makeAccessTokenText } from './access-token-text.ts'
import { readGivenName } from './given-name.ts'

export interface NewAccessToken {
  readonly accountId: string
  /** 1 to 100 characters, for people. */
  readonly name: string
  /** At least one. */
  readonly scopes: readonly Scope[]
  /** Unix milliseconds, in the future; null = never. */
  readonly expiresAt: number | null
}

/**
 * Makes an access token. Its text is returned here once and kept nowhere.
 *
 * @param deps.mostTokens That can be used at once, of one account; absent = any number.
 * @throws {ServiceError} `validation_error`, `concurrency_limit_exceeded`.
 */
export async function createAccessToken(
  { tokens, clock, mostTokens: most }: { readonly tokens: AccessTokenStore; readonly clock: Clock; readonly mostTokens?: number },
  { accountId, name, scopes, expiresAt }: NewAccessToken,
  options: { readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly token: AccessToken }> {
  const shortName = readGivenName(name, 'the token')
  if (scopes.length === 0)
    throw new ServiceError('validation_error', `Give the token at least one scope of: ${everyScope.join(', ')}.`, { param: 'scopes' })
  const now = clock.now()
  if (expiresAt !== null && expiresAt <= now)
    throw new ServiceError('validation_error', 'Choose an expiry in the future, or none.', { param: 'expires_at' })
  const text = makeAccessTokenText()
  const token: AccessToken = {
    id: randomUUID(),
    accountId,
    name: shortName,
    hash: hashAccessToken(text),
    hint: text.slice(-4),
    scopes: everyScope.filter((scope) => scopes.includes(scope)),
    createdAt: now,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    limits: noUseLimits,
  }
  if (!(await tokens.create(token, { ...options, ...(most !== undefined && { most }) })))
    throw new ServiceError(
      'concurrency_limit_exceeded',
      `This account has reached its limit of ${most} access tokens (account-tokens); revoke one that you no longer need.`,
      { retryAfterSeconds: 5 },
    )
  return { text, token }
}
