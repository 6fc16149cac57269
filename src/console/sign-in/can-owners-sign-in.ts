import type { Account } from '../../core/account.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { listIdentities } from '../../operations/access/linked-identities.ts'

/** Whether any, and whether all, of the owners that are not locked can sign in, and whether any account can. */
export async function canOwnersSignIn(
  deps: Pick<Store, 'accounts' | 'documents'>,
  options: Abortable,
): Promise<{ readonly can: boolean; readonly owners: readonly Account[]; readonly anybody: boolean }> {
  const all = await deps.accounts.list(options)
  const anybody = all.some(({ email }) => email !== null)
  const owners = all.filter((account) => account.role === 'owner' && account.disabledAt === null)
  if (owners.some((owner) => owner.email !== null)) return { can: true, owners, anybody: true }
  for (const { id } of owners) if ((await listIdentities(deps, id, options)).length > 0) return { can: true, owners, anybody: true }
  return { can: false, owners, anybody }
}
