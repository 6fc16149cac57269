import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'
import { accountColumns, invitationColumns, sessionColumns } from '../rows/account-row.ts'
import type { Values } from '../rows/row.ts'
import { AccountTables, accountParameters, byOwner, eraseStatements, signInChange, writeAccountChange } from '../tables/account-tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const enabled = (parameter: string) => `exists (select 1 from accounts where id = ${parameter} and disabled_at is null)`

const insertInvitation = `insert into invitations (${invitationColumns.names}) select ${invitationColumns.parameters}`

const owned = 'in (select value from json_each(:owners))'
const erasing = eraseStatements(owned, {
  tables: ['queue_shares', 'stored_sums'],
  counters: ['reserved_sums', 'usage_open_sums'].map(
    (table) => `delete from ${table} where subject ${owned} or subject in (select id from access_tokens where account_id ${owned})`,
  ),
})

/** Accounts, sessions and invitations in SQLite. */
export class SqliteAccountStore extends AccountTables<SqliteDatabase> implements AccountStore {
  async create(account: Account): Promise<void> {
    await this.#insert(account, '')
  }

  async createFirstOwner(account: Account): Promise<boolean> {
    return (await this.#insert(account, "where not exists (select 1 from accounts where role = 'owner')")) === 1
  }

  async change(accountId: string, change: AccountChange & ChangeCondition): Promise<boolean> {
    const { sql, parameters } = writeAccountChange(accountId, change)
    return (await this.database.run(sql, parameters)) === 1
  }

  protected eraseSome(table: string, of: { readonly accountId: string; readonly batch: number }): Promise<number> {
    return this.database.run(
      `delete from ${table} where rowid in (select rowid from ${table} where account_id = :accountId limit :batch)`,
      of,
    )
  }

  protected async eraseRest(owners: readonly string[]): Promise<void> {
    const parameters = { owners: JSON.stringify(owners) }
    await this.database.runAll(erasing.map((sql) => ({ sql, parameters })))
  }

  async createSession(session: Session, { passwordHash = null }: { readonly passwordHash?: string | null }): Promise<boolean> {
    const { names, parameters } = sessionColumns
    const sql = `insert into sessions (${names}) select ${parameters} where ${enabled(':accountId')}
      and (:passwordHash is null or exists (select 1 from accounts where id = :accountId and password_hash = :passwordHash))`
    return (await this.database.run(sql, { ...session, passwordHash })) === 1
  }

  async createInvitation(invitation: Invitation): Promise<boolean> {
    const sql = `${insertInvitation} where (:invitedBy is :accountId or ${byOwner(':invitedBy')}) and (:accountId is null or ${enabled(':accountId')})`
    return (await this.database.run(sql, { ...invitation })) === 1
  }

  async createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    { unlessSince }: { readonly unlessSince: number },
  ): Promise<boolean> {
    const insert = `${insertInvitation} where (:accountId is null or ${enabled(':accountId')}) and not exists (
        select 1 from invitations where invited_by is null and account_id is :accountId and created_at >= :unlessSince)`
    const forget = `delete from invitations where invited_by is null and account_id is :accountId and hash <> :hash
      and exists (select 1 from invitations where hash = :hash)`
    const [kept] = await this.database.runAll([
      { sql: insert, parameters: { ...invitation, unlessSince } },
      { sql: forget, parameters: { hash: invitation.hash, accountId: invitation.accountId } },
    ])
    return kept === 1
  }

  async redeemInvitation(
    { hash, accountId }: Pick<Invitation, 'hash' | 'accountId'>,
    { passwordHash, ...account }: Account & { readonly passwordHash: string | null },
  ): Promise<boolean> {
    const { names, parameters } = accountColumns
    const isValid = 'exists (select 1 from invitations where hash = :hash)'
    const store =
      accountId === null
        ? `insert or ignore into accounts (${names}, password_hash) select ${parameters}, :passwordHash where ${isValid}`
        : `update or ignore accounts set ${signInChange} where id = :id and ${isValid}`
    // Each statement depends on the change of the one before it.
    const [stored] = await this.database.runAll([
      { sql: store, parameters: { ...accountParameters(account), passwordHash, hash } },
      { sql: 'delete from invitations where hash = :hash and changes() = 1', parameters: { hash } },
      { sql: 'delete from sessions where account_id = :id and changes() = 1', parameters: { id: account.id } },
    ])
    return stored === 1
  }

  protected async updateUnlessTaken(change: string, parameters: Values): Promise<boolean> {
    return (await this.database.run(`update or ignore accounts set ${change}`, parameters)) === 1
  }

  #insert(account: Account, condition: string): Promise<number> {
    const { names, parameters } = accountColumns
    return this.database.run(`insert into accounts (${names}) select ${parameters} ${condition}`, accountParameters(account))
  }
}
