import type { AccountChange } from '../../core/account.ts'
import type { ChangeCondition } from '../../core/ports/account-store.ts'
import { limitChanges } from '../rows/limit-columns.ts'
import type { Statements } from './database.ts'

/** Serializes changes of accounts, so that two owners cannot disable each other at the same time. */
const changeLock = 7_335_742_002

/** True unless the account is the last enabled owner who can sign in. */
const keepsAnOwner = `and (role <> 'owner' or disabled_at is not null or exists (
  select 1 from accounts as other where other.id <> :accountId and other.role = 'owner' and other.disabled_at is null and other.email is not null))`

/** Applies the given changes and deletes the sessions and invitations they no longer allow; false = `by` may not make the change. */
export async function changeAccount(
  statements: Statements,
  accountId: string,
  { by, keepsOwner = false, role, disabledAt, limits = {} }: AccountChange & ChangeCondition,
): Promise<boolean> {
  await lockAccounts(statements)
  const columns = [['role', role] as const, ['disabled_at', disabledAt] as const, ...limitChanges(limits)].flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  )
  const assignments = ['id = id', ...columns.map(([column]) => `${column} = :${column}`)].join(', ')
  const sql = `update accounts set ${assignments} where id = :accountId and
    (:by::text is null or exists (select 1 from accounts where id = :by and role = 'owner' and disabled_at is null))
    ${keepsOwner ? keepsAnOwner : ''}`
  if ((await statements.run(sql, { accountId, by, ...Object.fromEntries(columns) })) === 0) return false
  if (typeof disabledAt === 'number') {
    await statements.run('delete from sessions where account_id = :accountId', { accountId })
    await statements.run('delete from invitations where account_id = :accountId or invited_by = :accountId', { accountId })
    await statements.run('update queue set cancel_requested = true where account_id = :accountId and running', { accountId })
  }
  if (role !== undefined && role !== 'owner')
    await statements.run('delete from invitations where invited_by = :accountId and account_id is distinct from :accountId', { accountId })
  return true
}

/** Blocks other changes of accounts until the transaction ends. */
export async function lockAccounts(statements: Statements): Promise<void> {
  await statements.run('select pg_advisory_xact_lock(:changeLock)', { changeLock })
}
