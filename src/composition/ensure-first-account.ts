import type { Account } from '../core/account.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import { createAccount } from '../operations/access/create-account.ts'

/** The oldest owner's account; made when there is none, as on the first start. */
export async function ensureFirstAccount(
  deps: { readonly accounts: AccountStore; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<{ readonly account: Account; readonly created: boolean }> {
  const owners = (await deps.accounts.list(options)).filter(({ role }) => role === 'owner')
  const oldest = owners.toSorted((a, b) => a.createdAt - b.createdAt)[0]
  if (oldest !== undefined) return { account: oldest, created: false }
  return { account: await createAccount(deps, { name: 'Owner', role: 'owner' }, options), created: true }
}
