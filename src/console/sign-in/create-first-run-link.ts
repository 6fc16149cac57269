import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import { invitationMs } from '../../operations/access/invitations.ts'
import { hashSecretText, makeSecretText } from '../../operations/access/secret-text.ts'
import { canOwnersSignIn } from './can-owners-sign-in.ts'

/** Nodes of one cluster that start within so long start together; later starts serve a person who lost the link. */
const startsTogetherMs = 10 * 60 * 1000

/**
 * The link with which the first owner sets a sign-in, or null when some owner can sign in already, or when a node that started with this one has made it.
 * A new one takes the place of those printed before.
 *
 * @param deps.shared Whether other nodes start on the same accounts.
 */
export async function createFirstRunLink(
  deps: {
    readonly accounts: AccountStore
    readonly documents: DocumentStore
    readonly clock: Clock
    readonly addresses: () => { readonly publicUrl: string }
    readonly shared: boolean
  },
  options: { readonly signal: AbortSignal },
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
    createdAt: now,
    expiresAt: now + invitationMs,
  } as const
  const unlessSince = deps.shared ? now - startsTogetherMs : Number.MAX_SAFE_INTEGER
  if (!(await deps.accounts.createFirstRunInvitation(invitation, { ...options, unlessSince }))) return null
  return joinLink(deps.addresses().publicUrl, code)
}

/** Where a one-time code is used. It stands behind the `#`, which browsers never send, so that no log keeps it. */
export function joinLink(publicUrl: string, code: string): string {
  return `${publicUrl}/console/join#${code}`
}
