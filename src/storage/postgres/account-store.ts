import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { accountColumns, invitationColumns, sessionColumns } from '../rows/account-row.ts'
import type { Values } from '../rows/row.ts'
import { AccountTables, accountParameters, eraseStatements, signInChange, writeAccountChange } from '../tables/account-tables.ts'
import { repeatable, type Statements } from '../tables/statements.ts'
import type { Database } from './database.ts'
import { sqlState } from './database-fault.ts'

const uniqueViolation = '23505'

const insertInvitation = `insert into invitations (${invitationColumns.names}) values (${invitationColumns.parameters})`

const owned = '= any(:owners::text[])'
const erasing = eraseStatements(owned, {
  first: ['queue'],
  tables: ['idempotency_keys', 'stored_outputs', 'account_totals'],
  // A subject is an account or token, prefixed by the name of the counter.
  counters: ['request_minutes', 'kept_places'].map(
    (table) => `delete from ${table} where substring(subject from '[^ ]*$') ${owned}
      or substring(subject from '[^ ]*$') in (select id from access_tokens where account_id ${owned})`,
  ),
})

/** Accounts, sessions and invitations, shared by all nodes. */
export class PostgresAccountStore extends AccountTables<Database> implements AccountStore {
  readonly #endWork: (accountId: string) => Promise<void>
  readonly #onLimits: () => void

  /**
   * @param effects.endWork Ends the waiting work of a disabled account.
   * @param effects.onLimits Called when the limits of an account may have changed.
   */
  constructor(
    database: Database,
    clock: Clock,
    { endWork, onLimits }: { readonly endWork: (accountId: string) => Promise<void>; readonly onLimits: () => void },
  ) {
    super(database, clock)
    this.#endWork = endWork
    this.#onLimits = onLimits
  }

  async create(account: Account): Promise<void> {
    await insertAccount(this.database, account)
    this.#onLimits()
  }

  async createFirstOwner(account: Account): Promise<boolean> {
    return this.database.transaction(async (statements) => {
      await lockAccounts(statements)
      if ((await statements.get("select 1 from accounts where role = 'owner' limit 1")) !== undefined) return false
      await insertAccount(statements, account)
      return true
    })
  }

  async change(accountId: string, change: AccountChange & ChangeCondition): Promise<boolean> {
    const changed = await this.database.transaction((statements) => changeAccount(statements, accountId, change), repeatable)
    this.#onLimits()
    if (changed && typeof change.disabledAt === 'number') await this.#endWork(accountId)
    return changed
  }

  protected eraseSome(table: string, of: { readonly accountId: string; readonly batch: number }): Promise<number> {
    // Rows of different partitions may have the same ctid.
    const key = table === 'inferences' ? 'id' : 'ctid'
    const sql = `delete from ${table} where ${key} = any (array(select ${key} from ${table} where account_id = :accountId limit :batch))`
    return this.database.run(sql, of, repeatable)
  }

  protected async eraseRest(owners: readonly string[]): Promise<void> {
    const erase = async (statements: Statements) => {
      for (const sql of erasing) await statements.run(sql, { owners: [...owners] })
    }
    await this.database.transaction(erase, repeatable)
    this.#onLimits()
  }

  async createSession(session: Session, { passwordHash = null }: { readonly passwordHash?: string | null }): Promise<boolean> {
    // The lock prevents a concurrent disabling or change of the password from leaving a session behind.
    const { names, parameters } = sessionColumns
    const sql = `insert into sessions (${names}) select ${parameters}
      from (select 1 from accounts where id = :accountId and disabled_at is null
        and (:passwordHash::text is null or password_hash = :passwordHash) for share) as account on conflict (hash) do nothing`
    return (await this.database.run(sql, { ...session, passwordHash })) === 1
  }

  async createInvitation(invitation: Invitation): Promise<boolean> {
    const { accountId, invitedBy } = invitation
    return this.database.transaction(async (statements) => {
      const enabled = 'select 1 from accounts where id = :id and disabled_at is null'
      // The locks prevent a concurrent change from leaving an unauthorized invitation behind.
      if (invitedBy !== null && invitedBy !== accountId)
        if ((await statements.get(`${enabled} and role = 'owner' for share`, { id: invitedBy })) === undefined) return false
      if (accountId !== null && (await statements.get(`${enabled} for share`, { id: accountId })) === undefined) return false
      return (await statements.run(insertInvitation, { ...invitation })) === 1
    })
  }

  async createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    { unlessSince }: { readonly unlessSince: number },
  ): Promise<boolean> {
    const { accountId } = invitation
    return this.database.transaction(async (statements) => {
      await lockAccounts(statements)
      const enabled = 'select 1 from accounts where id = :accountId and disabled_at is null for share'
      if (accountId !== null && (await statements.get(enabled, { accountId })) === undefined) return false
      const earlier = 'from invitations where invited_by is null and account_id is not distinct from :accountId'
      if ((await statements.get(`select 1 ${earlier} and created_at >= :unlessSince limit 1`, { accountId, unlessSince })) !== undefined)
        return false
      await statements.run(`delete ${earlier}`, { accountId })
      return (await statements.run(insertInvitation, { ...invitation })) === 1
    })
  }

  async redeemInvitation(
    { hash, accountId }: Pick<Invitation, 'hash' | 'accountId'>,
    { passwordHash, ...account }: Account & { readonly passwordHash: string | null },
  ): Promise<boolean> {
    const { names, parameters } = accountColumns
    const store =
      accountId === null
        ? `insert into accounts (${names}, password_hash) values (${parameters}, :passwordHash)`
        : `update accounts set ${signInChange} where id = :id`
    const redeem = async (statements: Statements) => {
      await lockAccounts(statements)
      if ((await statements.run('delete from invitations where hash = :hash', { hash })) === 0) return false
      await statements.run(store, { ...accountParameters(account), passwordHash })
      await statements.run('delete from sessions where account_id = :id', { id: account.id })
      return true
    }
    const redeemed = await unlessTaken(this.database.transaction(redeem))
    this.#onLimits()
    return redeemed
  }

  protected async updateUnlessTaken(change: string, parameters: Values): Promise<boolean> {
    return unlessTaken(this.database.run(`update accounts set ${change}`, parameters).then((changed) => changed === 1))
  }
}

/** The result of a write; false if it would use an e-mail of another account. */
async function unlessTaken(write: Promise<boolean>): Promise<boolean> {
  try {
    return await write
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return false
    throw error
  }
}

async function insertAccount(statements: Statements, account: Account): Promise<void> {
  const { names, parameters } = accountColumns
  await statements.run(`insert into accounts (${names}) values (${parameters})`, accountParameters(account))
}

/** Serializes changes of accounts, so that two owners cannot disable each other at the same time. */
const changeLock = 7_335_742_002

/** Applies the given changes and deletes the sessions and invitations they no longer allow; false = `by` may not make the change. */
async function changeAccount(statements: Statements, accountId: string, change: AccountChange & ChangeCondition): Promise<boolean> {
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
async function lockAccounts(statements: Statements): Promise<void> {
  await statements.run('select pg_advisory_xact_lock(:changeLock)', { changeLock })
}
