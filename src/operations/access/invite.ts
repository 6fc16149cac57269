import type { Role } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { hashSecretText, makeSecretText } from './secret-text.ts'

/** How long an invitation is good for. */
export const invitationMs = 3 * 24 * 60 * 60 * 1000

/**
 * Makes an invitation that ends after three days; its code is returned here once and kept nowhere.
 *
 * @param wanted.accountId The account to set a sign-in for; null = a new one.
 * @param wanted.invitedBy Whose invitation it is; it ends with his being an owner. Null = the operator's.
 * @throws {ServiceError} `not_found` when the account is disabled or absent, or its maker may not invite.
 */
export async function invite(
  { accounts, clock }: { readonly accounts: AccountStore; readonly clock: Clock },
  { role, accountId, invitedBy }: { readonly role: Role; readonly accountId: string | null; readonly invitedBy: string | null },
  options: { readonly signal: AbortSignal },
): Promise<string> {
  const code = makeSecretText()
  const now = clock.now()
  const invitation = { hash: hashSecretText(code), role, accountId, invitedBy, createdAt: now, expiresAt: now + invitationMs }
  if (await accounts.createInvitation(invitation, options)) return code
  throw new ServiceError('not_found', 'This account does not exist or is disabled; enable it first.')
}
