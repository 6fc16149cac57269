import type { AccessToken } from '../../core/access-token.ts'
import type { AccessTokenStore } from '../../core/ports/access-token-store.ts'

/** An account's tokens, newest first; revoked and expired ones included. */
export async function listAccessTokens(
  { tokens }: { readonly tokens: AccessTokenStore },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<readonly AccessToken[]> {
  const found = await tokens.list(accountId, options)
  return found.toSorted((a, b) => b.createdAt - a.createdAt)
}
