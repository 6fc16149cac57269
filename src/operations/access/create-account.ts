import { randomUUID } from 'node:crypto'
import { type Account, noLimits, type Role } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'

/**
 * Makes an account without a sign-in; tokens and invitations refer to it.
 *
 * @throws {ServiceError} `validation_error` for an empty or very long name.
 */
export async function createAccount(
  { accounts, clock }: { readonly accounts: AccountStore; readonly clock: Clock },
  { name, role }: { readonly name: string; readonly role: Role },
  options: { readonly signal: AbortSignal },
): Promise<Account> {
  const trimmed = name.trim()
  if (trimmed.length < 1 || trimmed.length > 100)
    throw new ServiceError('validation_error', 'Give the account a name of 1 to 100 characters.', { param: 'name' })
  const identity = { id: randomUUID(), name: trimmed, email: null, role }
  const account: Account = { ...identity, createdAt: clock.now(), disabledAt: null, limits: noLimits }
  await accounts.create(account, options)
  return account
}
