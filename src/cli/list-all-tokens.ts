import type { AccessToken } from '../core/access-token.ts'
import type { AccountDesk } from './cli-backend.ts'

/** The tokens of every account, account by account. */
export async function listAllTokens(desk: AccountDesk, options: { readonly signal: AbortSignal }): Promise<readonly AccessToken[]> {
  const accounts = await desk.listAccounts(options)
  return (await Promise.all(accounts.map(({ id }) => desk.listTokens(id, options)))).flat()
}
