import type { UseLimits } from '../../../../core/limits/use-limits.ts'
import type { NewToken, TokenLimits, TokenList, TokenText } from '../../../contract/access-tokens.ts'
import { request, send } from '../../interface/request.ts'

/** The account's own tokens. */
export function listTokens(signal?: AbortSignal): Promise<TokenList> {
  return request<TokenList>('/console/api/tokens', { signal })
}

/**
 * Creates a token.
 *
 * @returns Its text, which only this answer contains.
 */
export async function createToken(body: NewToken): Promise<string> {
  const { text } = await request<TokenText>('/console/api/tokens', { method: 'POST', body })
  return text
}

/** Sets a token's limits, within those of its account. */
export async function limitToken(id: string, limits: Partial<UseLimits>): Promise<void> {
  await send(`/console/api/tokens/${id}/limits`, { method: 'PUT', body: { limits } satisfies TokenLimits })
}

/** Revokes a token at once. */
export async function revokeToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}`, { method: 'DELETE' })
}

/** Restores a revoked token; the service allows that for a minute. */
export async function restoreToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}/restore`, { method: 'POST' })
}
