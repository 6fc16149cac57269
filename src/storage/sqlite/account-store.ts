import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'
import { accountLimitNames, accountLimitParameters } from '../rows/limit-columns.ts'
import type { Values } from '../rows/row.ts'
import { AccountTables, byOwner, writeAccountChange } from '../tables/account-tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const enabled = (parameter: string) => `exists (select 1 from accounts where id = ${parameter} and disabled_at is null)`

const owned = 'in (select value from json_each(:owners))'
/** Order of deletion: tables maintained by triggers after their sources, and tokens after their counters. */
const erasing: readonly string[] = [
  ...['reservations', 'usage_entries', 'usage_days', 'usage_details', 'usage_latencies', 'request_records', 'inferences', 'documents'],
  ...['webhook_deliveries', 'webhook_secrets', 'queue_shares', 'stored_sums', 'document_sums', 'sessions'],
]
  .map((table) => `delete from ${table} where account_id ${owned}`)
  .concat(
    ['reserved_sums', 'usage_open_sums'].map(
      (table) => `delete from ${table} where subject ${owned} or subject in (select id from access_tokens where account_id ${owned})`,
    ),
    `delete from access_tokens where account_id ${owned}`,
    `delete from invitations where account_id ${owned} or invited_by ${owned}`,
    `delete from accounts where id ${owned}`,
  )

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

  async createSession(session: Session): Promise<boolean> {
    const sql = `insert into sessions (hash, account_id, address, agent, created_at, expires_at, last_used_at)
      select :hash, :accountId, :address, :agent, :createdAt, :expiresAt, :lastUsedAt where ${enabled(':accountId')}`
    return (await this.database.run(sql, { ...session })) === 1
  }

  async createInvitation(invitation: Invitation): Promise<boolean> {
    const sql = `insert into invitations (hash, role, account_id, invited_by, note, created_at, expires_at)
      select :hash, :role, :accountId, :invitedBy, :note, :createdAt, :expiresAt
      where (:invitedBy is :accountId or ${byOwner(':invitedBy')}) and (:accountId is null or ${enabled(':accountId')})`
    return (await this.database.run(sql, { ...invitation })) === 1
  }

  async createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    { unlessSince }: { readonly unlessSince: number },
  ): Promise<boolean> {
    const insert = `insert into invitations (hash, role, account_id, invited_by, note, created_at, expires_at)
      select :hash, :role, :accountId, :invitedBy, :note, :createdAt, :expiresAt
      where (:accountId is null or ${enabled(':accountId')}) and not exists (
        select 1 from invitations where invited_by is null and account_id is :accountId and created_at >= :unlessSince)`
    const forget = `delete from invitations where invited_by is null and account_id is :accountId and hash <> :hash
      and exists (select 1 from invitations where hash = :hash)`
    const [kept] = await this.database.runAll([
      { sql: insert, parameters: { ...invitation, unlessSince } },
      { sql: forget, parameters: { hash: invitation.hash, accountId: invitation.accountId } },
    ])
    return kept === 1
  }

  protected async updateUnlessTaken(change: string, parameters: Values): Promise<boolean> {
    return (await this.database.run(`update or ignore accounts set ${change}`, parameters)) === 1
  }

  #insert({ limits, ...rest }: Account, condition: string): Promise<number> {
    const sql = `insert into accounts
        (id, name, email, email_key, role, created_at, disabled_at, ${accountLimitNames})
      select :id, :name, :email, :emailKey, :role, :createdAt, :disabledAt, ${accountLimitParameters} ${condition}`
    return this.database.run(sql, { ...rest, ...limits, emailKey: rest.email?.toLowerCase() ?? null })
  }
}
