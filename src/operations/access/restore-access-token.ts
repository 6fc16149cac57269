import { ServiceError } from '../../core/error.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import type { Clock } from '../../core/ports/clock.ts'

/** How long a revocation can be taken back; the page offers it for ten seconds. */
const undoMs = 60_000

/**
 * Takes the revocation of a token back, within a minute.
 *
 * @throws {ServiceError} `not_found` when the account has no token that was revoked so lately.
 */
export async function restoreAccessToken(
  { tokens, clock }: { readonly tokens: AccessTokenStore; readonly clock: Clock },
  target: TokenTarget,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  if (!(await tokens.restore(target, clock.now() - undoMs, options)))
    throw new ServiceError('not_found', 'It is too late to undo this; create a new token.')
}
