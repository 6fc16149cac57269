import { randomUUID } from 'node:crypto'
import { type Account, isEnabled, type Role } from '../../core/account.ts'
import { defined } from '../../core/defined.ts'
import { ServiceError } from '../../core/error.ts'
import { type AccountLimits, changesLimits, noLimits } from '../../core/limits/use-limits.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import { isVisible } from '../../core/text/visible-text.ts'
import type { Abortable } from '../../core/waiting.ts'

/**
 * Creates an account without a sign-in, which tokens and invitations can refer to.
 *
 * @throws {ServiceError} `validation_error` for a name that is empty, too long or not on one line.
 */
export async function createAccount(
  { accounts, clock }: Pick<Store, 'accounts' | 'clock'>,
  wanted: { readonly name: string; readonly role: Role },
  options: Abortable,
): Promise<Account> {
  const account = makeAccount({ clock }, wanted)
  await accounts.create(account, options)
  return account
}

/**
 * A new account that is not stored yet.
 *
 * @throws {ServiceError} `validation_error` for its name.
 */
export function makeAccount({ clock }: { readonly clock: Clock }, { name, role }: { readonly name: string; readonly role: Role }): Account {
  const identity = { id: randomUUID(), name: readGivenName(name, 'the account'), email: null, role }
  return { ...identity, createdAt: clock.now(), disabledAt: null, limits: noLimits }
}

/** Requested changes of an account; absent fields stay as they are. */
export interface WantedAccount {
  readonly accountId: string
  /** The acting owner; null = the operator, at the command line. */
  readonly by: string | null
  readonly role?: Role | undefined
  /** Whether the account is disabled. Its sessions end and are not restored when it is enabled again. */
  readonly disabled?: boolean | undefined
  readonly limits?: Partial<AccountLimits> | undefined
}

/**
 * Changes an account's role, access or limits. Owners cannot disable or demote themselves, so that one always remains.
 *
 * @returns Whether anything changed.
 * @throws {ServiceError} `validation_error` as above, `not_found`, and `insufficient_scope` if `by` is no longer an owner.
 */
export async function changeAccount(
  { accounts, clock }: Pick<Store, 'accounts' | 'clock'>,
  { accountId, by, role, disabled, limits }: WantedAccount,
  options: Abortable,
): Promise<boolean> {
  if (by === accountId && (role !== undefined || disabled !== undefined))
    throw new ServiceError(
      'validation_error',
      'You cannot change your own role or lock yourself; ask another owner, so that one owner always remains.',
    )
  const before = await accounts.find(accountId, options)
  if (before === null) throw new ServiceError('not_found', 'There is no such account.')
  const changes =
    (role ?? before.role) !== before.role ||
    (disabled !== undefined && disabled === isEnabled(before)) ||
    (limits !== undefined && changesLimits(before.limits, limits))
  if (!changes) return false
  const change = {
    by,
    ...defined({ role, limits }),
    ...(disabled !== undefined && { disabledAt: disabled ? clock.now() : null }),
  }
  if (await accounts.change(accountId, change, options)) return true
  if ((await accounts.find(accountId, options)) === null) throw new ServiceError('not_found', 'There is no such account.')
  throw new ServiceError('insufficient_scope', 'You are no longer an owner; ask an owner of the service.')
}

/**
 * Validates and trims a display name.
 *
 * @param of The named thing, as in "the token".
 * @throws {ServiceError} `validation_error` unless it has 1 to 100 characters, no control characters and at least one visible one.
 */
export function readGivenName(name: string, of: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= 100 && !/\p{Cc}/u.test(trimmed) && isVisible(trimmed)) return trimmed
  throw new ServiceError('validation_error', `Give ${of} a name of 1 to 100 characters on one line.`, { param: 'name' })
}
