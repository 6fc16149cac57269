import type { Account } from '../core/account.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import { makeAccount } from '../operations/access/create-account.ts'

/** The oldest owner's account; made when there is none, as on the first start, by one of all that start at once. */
export async function ensureFirstAccount(
  { accounts, clock }: { readonly accounts: AccountStore; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<{ readonly account: Account; readonly created: boolean }> {
  const known = await findOldestOwner(accounts, options)
  if (known !== undefined) return { account: known, created: false }
  const account = makeAccount({ clock }, { name: 'Owner', role: 'owner' })
  const created = await accounts.createFirstOwner(account, options)
  return { account: created ? account : ((await findOldestOwner(accounts, options)) ?? account), created }
}

async function findOldestOwner(accounts: AccountStore, options: { readonly signal: AbortSignal }): Promise<Account | undefined> {
  const owners = (await accounts.list(options)).filter(({ role }) => role === 'owner')
  return owners.toSorted((a, b) => a.createdAt - b.createdAt)[0]
}
