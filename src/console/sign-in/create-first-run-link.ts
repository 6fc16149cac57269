import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import { invite } from '../../operations/access/invite.ts'
import { listIdentities } from '../../operations/access/linked-identities.ts'
import { joinLink } from './join-link.ts'

/**
 * The link with which the first owner sets a sign-in, or null when some owner can sign in already.
 * A new one takes the place of those printed before.
 */
export async function createFirstRunLink(
  deps: {
    readonly accounts: AccountStore
    readonly documents: DocumentStore
    readonly clock: Clock
    readonly addresses: () => { readonly publicUrl: string }
  },
  options: { readonly signal: AbortSignal },
): Promise<string | null> {
  const owners = (await deps.accounts.list(options)).filter((account) => account.role === 'owner' && account.disabledAt === null)
  if (owners.some((owner) => owner.email !== null)) return null
  for (const { id } of owners) if ((await listIdentities(deps, id, options)).length > 0) return null
  const accountId = owners[0]?.id ?? null
  for (const earlier of await deps.accounts.listInvitations(options))
    if (earlier.invitedBy === null) await deps.accounts.takeInvitation(earlier.hash, options)
  return joinLink(deps.addresses().publicUrl, await invite(deps, { role: 'owner', accountId, invitedBy: null }, options))
}
