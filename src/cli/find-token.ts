import type { AccessToken } from '../core/access-token.ts'
import type { AccountDesk } from './cli-backend.ts'
import { UsageError } from './usage-error.ts'

/** The tokens of every account, account by account. */
export async function listAllTokens(desk: AccountDesk, options: { readonly signal: AbortSignal }): Promise<readonly AccessToken[]> {
  const accounts = await desk.listAccounts(options)
  return (await Promise.all(accounts.map(({ id }) => desk.listTokens(id, options)))).flat()
}

/** @throws {UsageError} when no token has this id, with where to find those that exist. */
export async function findToken(desk: AccountDesk, id: string, options: { readonly signal: AbortSignal }): Promise<AccessToken> {
  const token = (await listAllTokens(desk, options)).find((candidate) => candidate.id === id)
  if (token === undefined) throw new UsageError([{ where: id, message: 'there is no token with this id; see sepia token list.' }])
  return token
}
