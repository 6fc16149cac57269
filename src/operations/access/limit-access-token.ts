import { ServiceError } from '../../core/error.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'

/**
 * Sets how much a token may use of what its account may; seen within five seconds.
 *
 * @throws {ServiceError} `not_found` when the account has no such token.
 */
export async function limitAccessToken(
  { tokens }: { readonly tokens: AccessTokenStore },
  target: TokenTarget,
  limits: Partial<UseLimits>,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  if (!(await tokens.limit(target, limits, options))) throw new ServiceError('not_found', 'This account has no such access token.')
}
