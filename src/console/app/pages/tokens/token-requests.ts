import type { AccessToken, Scope } from '../../../../core/access-token.ts'
import { request, send } from '../../interface/request.ts'

/** A token as the console may see it. */
export type ListedToken = Omit<AccessToken, 'hash' | 'accountId'>

export interface NewToken {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Unix milliseconds, or null for no end. */
  readonly expiresAt: number | null
}

export async function listTokens(signal?: AbortSignal): Promise<readonly ListedToken[]> {
  const { tokens } = await request<{ tokens: readonly ListedToken[] }>('/console/api/tokens', { signal })
  return tokens
}

/** Makes a token; its text is in this answer and nowhere else, ever. */
export async function createToken(body: NewToken): Promise<string> {
  const { text } = await request<{ text: string }>('/console/api/tokens', { method: 'POST', body })
  return text
}

export async function revokeToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}`, { method: 'DELETE' })
}

/** Takes a revocation back; the service allows it for a minute. */
export async function restoreToken(id: string): Promise<void> {
  await send(`/console/api/tokens/${id}/restore`, { method: 'POST' })
}
