import type { Account } from '../../../core/account.ts'
import type { AccountDesk } from '../../cli-backend.ts'
import { UsageError } from '../../usage-error.ts'

/** @throws {UsageError} when no account has this id, with where to find those that exist. */
export async function findAccount(
  desk: Pick<AccountDesk, 'listAccounts'>,
  id: string,
  options: { readonly signal: AbortSignal },
): Promise<Account> {
  const account = (await desk.listAccounts(options)).find((candidate) => candidate.id === id)
  if (account === undefined) throw new UsageError([{ where: id, message: 'there is no account with this id; see sepia account list.' }])
  return account
}
