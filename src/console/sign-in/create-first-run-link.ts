import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { invitationMs } from '../../operations/access/invitations.ts'
import { hashSecretText, makeSecretText } from '../../operations/access/secret-text.ts'
import { canOwnersSignIn } from './can-owners-sign-in.ts'

/** Nodes of a cluster that start within this time share one link. A later start makes a new one, for an owner who lost it. */
const startsTogetherMs = 10 * 60 * 1000

/**
 * Creates the link with which the first owner sets a sign-in. Null when an owner can already sign in, or when another node that started at
 * the same time has created it. A new link replaces earlier ones.
 *
 * @param deps.shared Whether other nodes start with the same accounts.
 */
export async function createFirstRunLink(
  deps: {
    readonly accounts: AccountStore
    readonly documents: DocumentStore
    readonly clock: Clock
    readonly addresses: () => { readonly publicUrl: string }
    readonly shared: boolean
  },
  options: Abortable,
): Promise<string | null> {
  const { can, owners } = await canOwnersSignIn(deps, options)
  if (can) return null
  const accountId = owners[0]?.id ?? null
  const code = makeSecretText()
  const now = deps.clock.now()
  const invitation = {
    hash: hashSecretText(code),
    role: 'owner',
    accountId,
    invitedBy: null,
    note: null,
    createdAt: now,
    expiresAt: now + invitationMs,
  } as const
  const unlessSince = deps.shared ? now - startsTogetherMs : Number.MAX_SAFE_INTEGER
  if (!(await deps.accounts.createFirstRunInvitation(invitation, { ...options, unlessSince }))) return null
  return joinLink(deps.addresses().publicUrl, code)
}

/** The link for a one-time code. The code is behind the `#`, which browsers do not send, so that no log contains it. */
export function joinLink(publicUrl: string, code: string): string {
  return `${publicUrl}/console/join#${code}`
}
