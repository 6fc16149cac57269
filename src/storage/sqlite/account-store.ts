import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'
import { readAccount, readInvitation, readSession } from '../rows/account-row.ts'
import { accountLimitNames, accountLimitParameters, limitChanges } from '../rows/limit-columns.ts'
import { readInteger, readText } from '../rows/row.ts'
import { SqliteTables } from './sqlite-tables.ts'

type Options = { readonly signal: AbortSignal }

/** True for the operator, and for an account that is an enabled owner at the time of the write. */
const byOwner = (parameter: string) =>
  `(${parameter} is null or exists (select 1 from accounts where id = ${parameter} and role = 'owner' and disabled_at is null))`
const enabled = (parameter: string) => `exists (select 1 from accounts where id = ${parameter} and disabled_at is null)`
/** True unless the account is the last enabled owner who can sign in. */
const keepsAnOwner = `(role <> 'owner' or disabled_at is not null or exists (
  select 1 from accounts as other where other.id <> :accountId and other.role = 'owner' and other.disabled_at is null and other.email is not null))`

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
export class SqliteAccountStore extends SqliteTables implements AccountStore {
  async create(account: Account): Promise<void> {
    await this.#insert(account, '')
  }

  async createFirstOwner(account: Account): Promise<boolean> {
    return (await this.#insert(account, "where not exists (select 1 from accounts where role = 'owner')")) === 1
  }

  async find(id: string): Promise<Account | null> {
    const row = this.reader.get('select * from accounts where id = :id', { id })
    return row === undefined ? null : readAccount(row)
  }

  async list(): Promise<readonly Account[]> {
    return this.reader.all('select * from accounts order by created_at, id').map(readAccount)
  }

  async weights(): Promise<ReadonlyMap<string, number>> {
    const rows = this.reader.all('select id, weight from accounts where weight is not null')
    return new Map(rows.map((row) => [readText(row, 'id'), readInteger(row, 'weight')]))
  }

  async findByEmail(email: string): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
    const sql = 'select * from accounts where email_key = :key and password_hash is not null'
    const row = this.reader.get(sql, { key: email.toLowerCase() })
    return row === undefined ? null : { account: readAccount(row), passwordHash: readText(row, 'password_hash') }
  }

  async setSignIn(
    accountId: string,
    { name, email, passwordHash }: { readonly name: string; readonly email: string; readonly passwordHash: string },
  ): Promise<boolean> {
    const sql = `update or ignore accounts set name = :name, email = :email, email_key = :emailKey, password_hash = :passwordHash
      where id = :accountId`
    return (await this.#write(sql, { accountId, name, email, emailKey: email.toLowerCase(), passwordHash })) === 1
  }

  async setProfile(accountId: string, { name, email }: { readonly name: string; readonly email: string }): Promise<boolean> {
    const sql = `update or ignore accounts set name = :name, email = :email, email_key = :emailKey where id = :accountId and email is null`
    return (await this.#write(sql, { accountId, name, email, emailKey: email.toLowerCase() })) === 1
  }

  async change(
    accountId: string,
    { by, keepsOwner = false, role, disabledAt, limits = {} }: AccountChange & ChangeCondition,
  ): Promise<boolean> {
    const columns = [['role', role] as const, ['disabled_at', disabledAt] as const, ...limitChanges(limits)].flatMap(([column, value]) =>
      value === undefined ? [] : [[column, value] as const],
    )
    const assignments = ['id = id', ...columns.map(([column]) => `${column} = :${column}`)].join(', ')
    const sql = `update accounts set ${assignments} where id = :accountId and ${byOwner(':by')}${keepsOwner ? ` and ${keepsAnOwner}` : ''}`
    return (await this.#write(sql, { accountId, by, ...Object.fromEntries(columns) })) === 1
  }

  async erase(owners: readonly string[]): Promise<void> {
    const parameters = { owners: JSON.stringify(owners) }
    await this.writer.run(
      'execute',
      erasing.map((sql) => ({ sql, parameters })),
      this.clock.now(),
    )
  }

  async createSession(session: Session): Promise<boolean> {
    const sql = `insert into sessions (hash, account_id, address, agent, created_at, expires_at, last_used_at)
      select :hash, :accountId, :address, :agent, :createdAt, :expiresAt, :lastUsedAt where ${enabled(':accountId')}`
    return (await this.#write(sql, { ...session })) === 1
  }

  async touchSession(hash: string, lastUsedAt: number): Promise<void> {
    await this.#write('update sessions set last_used_at = :lastUsedAt where hash = :hash', { hash, lastUsedAt })
  }

  async findSession(hash: string): Promise<Session | null> {
    const row = this.reader.get('select * from sessions where hash = :hash', { hash })
    return row === undefined ? null : readSession(row)
  }

  async listSessions(accountId: string): Promise<readonly Session[]> {
    return this.reader.all('select * from sessions where account_id = :accountId order by created_at, hash', { accountId }).map(readSession)
  }

  async deleteSession(hash: string): Promise<void> {
    await this.#write('delete from sessions where hash = :hash', { hash })
  }

  async deleteSessionsOf(accountId: string): Promise<void> {
    await this.#write('delete from sessions where account_id = :accountId', { accountId })
  }

  async createInvitation(invitation: Invitation): Promise<boolean> {
    const sql = `insert into invitations (hash, role, account_id, invited_by, created_at, expires_at)
      select :hash, :role, :accountId, :invitedBy, :createdAt, :expiresAt
      where (:invitedBy is :accountId or ${byOwner(':invitedBy')}) and (:accountId is null or ${enabled(':accountId')})`
    return (await this.#write(sql, { ...invitation })) === 1
  }

  async createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    { unlessSince }: Options & { readonly unlessSince: number },
  ): Promise<boolean> {
    const parameters = { ...invitation, unlessSince }
    const insert = `insert into invitations (hash, role, account_id, invited_by, created_at, expires_at)
      select :hash, :role, :accountId, :invitedBy, :createdAt, :expiresAt
      where (:accountId is null or ${enabled(':accountId')}) and not exists (
        select 1 from invitations where invited_by is null and account_id is :accountId and created_at >= :unlessSince)`
    const forget = `delete from invitations where invited_by is null and account_id is :accountId and hash <> :hash
      and exists (select 1 from invitations where hash = :hash)`
    const statements = [
      { sql: insert, parameters },
      { sql: forget, parameters: { hash: invitation.hash, accountId: invitation.accountId } },
    ]
    const [kept] = await this.writer.run('execute', statements, this.clock.now())
    return kept === 1
  }

  async findInvitation(hash: string): Promise<Invitation | null> {
    const row = this.reader.get('select * from invitations where hash = :hash', { hash })
    return row === undefined ? null : readInvitation(row)
  }

  async listInvitations(): Promise<readonly Invitation[]> {
    return this.reader.all('select * from invitations order by created_at, hash').map(readInvitation)
  }

  async takeInvitation(hash: string): Promise<boolean> {
    return (await this.#write('delete from invitations where hash = :hash', { hash })) === 1
  }

  #insert({ limits, ...rest }: Account, condition: string): Promise<number> {
    const sql = `insert into accounts
        (id, name, email, email_key, role, created_at, disabled_at, ${accountLimitNames})
      select :id, :name, :email, :emailKey, :role, :createdAt, :disabledAt, ${accountLimitParameters} ${condition}`
    return this.#write(sql, { ...rest, ...limits, emailKey: rest.email?.toLowerCase() ?? null })
  }

  #write(sql: string, parameters: Readonly<Record<string, string | number | null>>): Promise<number> {
    return this.write({ sql, parameters })
  }
}
