import { ServiceError } from '../../core/error.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import type { Clock } from '../../core/ports/clock.ts'

/**
 * Revokes one of an account's tokens; every node refuses it within five seconds, and ends what is waited for with it. Revoking twice is fine.
 *
 * @throws {ServiceError} `not_found` when the account has no such token.
 */
export async function revokeAccessToken(
  { tokens, clock }: { readonly tokens: AccessTokenStore; readonly clock: Clock },
  target: TokenTarget,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const found = await tokens.revoke(target, clock.now(), options)
  if (!found) throw new ServiceError('not_found', 'Use the id of one of your own tokens, as the list shows it.')
}
