import { randomUUID } from 'node:crypto'
import type { Account, Role } from '../../core/account.ts'
import { noLimits } from '../../core/limits/use-limits.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { readGivenName } from './given-name.ts'

/**
 * Makes an account without a sign-in; tokens and invitations refer to it.
 *
 * @throws {ServiceError} `validation_error` for a name that is empty, very long or more than one line.
 */
export async function createAccount(
  { accounts, clock }: { readonly accounts: AccountStore; readonly clock: Clock },
  wanted: { readonly name: string; readonly role: Role },
  options: { readonly signal: AbortSignal },
): Promise<Account> {
  const account = makeAccount({ clock }, wanted)
  await accounts.create(account, options)
  return account
}

/**
 * A new account that nobody keeps yet.
 *
 * @throws {ServiceError} `validation_error` for its name.
 */
export function makeAccount({ clock }: { readonly clock: Clock }, { name, role }: { readonly name: string; readonly role: Role }): Account {
  const identity = { id: randomUUID(), name: readGivenName(name, 'the account'), email: null, role }
  return { ...identity, createdAt: clock.now(), disabledAt: null, limits: noLimits }
}
