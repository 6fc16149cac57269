import type { UseLimits } from '../../../../core/limits/use-limits.ts'
import type { NewToken, TokenLimits, TokenList, TokenText } from '../../../contract/access-tokens.ts'
import { request, send } from '../../interface/request.ts'

/** The account's own tokens. */
export function listTokens(signal?: AbortSignal): Promise<TokenList> {
  return request<TokenList>('/console/api/tokens', { signal })
}

/** Makes a token; its text is in this answer and nowhere else, ever. */
export async function createToken(body: NewToken): Promise<string> {
  const { text } = await request<TokenText>('/console/api/tokens', { method: 'POST', body })
  return text
}

/** Sets how much a token may use of what its account may. */
export async function limitToken(id: string, limits: Partial<UseLimits>): Promise<void> {
  await send(`/console/api/tokens/${id}/limits`, { method: 'PUT', body: { limits } satisfies TokenLimits })
}

/** Stops a token at once. */
export async function revokeToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}`, { method: 'DELETE' })
}

/** Takes a revocation back; the service allows it for a minute. */
export async function restoreToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}/restore`, { method: 'POST' })
}
