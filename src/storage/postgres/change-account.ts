import type { AccountChange } from '../../core/account.ts'
import type { ChangeCondition } from '../../core/ports/account-store.ts'
import { writeAccountChange } from '../tables/account-tables.ts'
import type { Statements } from '../tables/statements.ts'

/** Serializes changes of accounts, so that two owners cannot disable each other at the same time. */
const changeLock = 7_335_742_002

/** Applies the given changes and deletes the sessions and invitations they no longer allow; false = `by` may not make the change. */
export async function changeAccount(statements: Statements, accountId: string, change: AccountChange & ChangeCondition): Promise<boolean> {
  await lockAccounts(statements)
  const { sql, parameters } = writeAccountChange(accountId, change)
  if ((await statements.run(sql, parameters)) === 0) return false
  const { role, disabledAt } = change
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
