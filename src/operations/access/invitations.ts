import { randomUUID } from 'node:crypto'
import type { Account, Invitation } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import { noLimits } from '../../core/limits/use-limits.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { hashSecretText, makeSecretText } from './secret-text.ts'

/** Lifetime of an invitation. */
export const invitationMs = 3 * 24 * 60 * 60 * 1000

type NewInvitation = Pick<Invitation, 'role' | 'accountId' | 'invitedBy'> & { readonly note?: string | null }

/**
 * Creates an invitation that is valid for three days; its code is returned once and never stored.
 *
 * @param wanted.accountId The account to set a sign-in for; null = a new one.
 * @param wanted.invitedBy The inviting owner; the invitation ends when they are no longer an owner. Null = the operator.
 * @param wanted.note For whom it is, in the inviter's words.
 * @throws {ServiceError} `not_found` if the account is disabled or missing, or its maker may not invite.
 */
export async function invite(
  { accounts, clock }: Pick<Store, 'accounts' | 'clock'>,
  { role, accountId, invitedBy, note = null }: NewInvitation,
  options: Abortable,
): Promise<string> {
  const code = makeSecretText()
  const now = clock.now()
  const invitation = { hash: hashSecretText(code), role, accountId, invitedBy, note, createdAt: now, expiresAt: now + invitationMs }
  if (await accounts.createInvitation(invitation, options)) return code
  throw new ServiceError('not_found', 'This account does not exist or is disabled; enable it first.')
}

type InvitationDependencies = Pick<Store, 'accounts' | 'clock'>

/** @throws {ServiceError} `not_found` if the code was used, withdrawn or has expired. */
export async function findInvitation({ accounts, clock }: InvitationDependencies, code: string, options: Abortable): Promise<Invitation> {
  const invitation = await accounts.findInvitation(hashSecretText(code), options)
  if (invitation === null || invitation.expiresAt <= clock.now()) throw usedUp()
  return invitation
}

export interface NewSignIn {
  readonly name: string
  readonly email: string
  readonly passwordHash: string
}

/**
 * Redeems an invitation: sets the sign-in of its account, or of a new one.
 *
 * @throws {ServiceError} `not_found` for a code that was already redeemed, `validation_error` if the e-mail is taken.
 */
export async function redeemInvitation(
  { accounts, clock }: InvitationDependencies,
  { invitation, signIn }: { readonly invitation: Invitation; readonly signIn: NewSignIn },
  options: Abortable,
): Promise<Account> {
  const { hash, accountId, role } = invitation
  const fresh = { id: randomUUID(), role, createdAt: clock.now(), disabledAt: null, limits: noLimits }
  const invited = accountId === null ? fresh : await accounts.find(accountId, options)
  if (invited === null) throw usedUp()
  const account = { ...invited, name: signIn.name, email: signIn.email }
  if (await accounts.redeemInvitation(invitation, { ...account, passwordHash: signIn.passwordHash }, options)) return account
  throw (await accounts.findInvitation(hash, options)) === null ? usedUp() : emailTaken()
}

/** The error for an e-mail address of another account. */
export function emailTaken(): ServiceError {
  return new ServiceError('validation_error', 'Another account uses this e-mail address; choose another.', { param: 'email' })
}

function usedUp(): ServiceError {
  return new ServiceError('not_found', 'This link was already used or has expired; ask for a new one.')
}
