import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { ChangeCondition } from '../../core/ports/account-store.ts'
import { readAccount, readInvitation, readSession } from '../rows/account-row.ts'
import { limitChanges, writeChanges } from '../rows/limit-columns.ts'
import { readInteger, readText, type Values } from '../rows/row.ts'
import { lookUp, repeatable, type Statements, Tables } from './statements.ts'

/** Tables in which an account may have a million rows. */
const numerous = ['request_records', 'inferences', 'documents'] as const
/** Rows deleted per commit, so that writes for other accounts do not wait for long. */
const eraseBatch = 1000

/** Accounts, sessions and invitations in either database, except what databases write differently. */
export abstract class AccountTables<Database extends Statements> extends Tables<Database> {
  /** Deletes up to `batch` rows of an account; returns how many. */
  protected abstract eraseSome(
    table: (typeof numerous)[number],
    of: { readonly accountId: string; readonly batch: number },
  ): Promise<number>

  /** Deletes what is left of accounts, and the accounts, in one commit. */
  protected abstract eraseRest(owners: readonly string[]): Promise<void>

  /** Updates accounts; false = no account matches, or the e-mail belongs to another one. @param change The part of the statement after `set`. */
  protected abstract updateUnlessTaken(change: string, parameters: Values): Promise<boolean>

  async find(id: string): Promise<Account | null> {
    const row = await this.database.get('select * from accounts where id = :id', { id }, lookUp)
    return row === undefined ? null : readAccount(row)
  }

  async list(): Promise<readonly Account[]> {
    return (await this.database.all('select * from accounts order by created_at, id', {}, repeatable)).map(readAccount)
  }

  async weights(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.all('select id, weight from accounts where weight is not null', {}, repeatable)
    return new Map(rows.map((row) => [readText(row, 'id'), readInteger(row, 'weight')]))
  }

  async findByEmail(email: string): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
    const sql = 'select * from accounts where email_key = :key and password_hash is not null'
    const row = await this.database.get(sql, { key: email.toLowerCase() }, repeatable)
    return row === undefined ? null : { account: readAccount(row), passwordHash: readText(row, 'password_hash') }
  }

  async setSignIn(
    accountId: string,
    { name, email, passwordHash }: { readonly name: string; readonly email: string; readonly passwordHash: string | null },
    { verifiedHash = null }: { readonly verifiedHash?: string | null },
  ): Promise<boolean> {
    const change = `${signInChange} where id = :accountId and (cast(:verifiedHash as text) is null or password_hash = :verifiedHash)`
    return this.updateUnlessTaken(change, { accountId, name, email, emailKey: email.toLowerCase(), passwordHash, verifiedHash })
  }

  async setProfile(accountId: string, { name, email }: { readonly name: string; readonly email: string }): Promise<boolean> {
    const change = 'name = :name, email = :email, email_key = :emailKey where id = :accountId and email is null'
    return this.updateUnlessTaken(change, { accountId, name, email, emailKey: email.toLowerCase() })
  }

  async touchSession(hash: string, lastUsedAt: number): Promise<void> {
    await this.database.run('update sessions set last_used_at = :lastUsedAt where hash = :hash', { hash, lastUsedAt })
  }

  async findSession(hash: string): Promise<Session | null> {
    const row = await this.database.get('select * from sessions where hash = :hash', { hash }, lookUp)
    return row === undefined ? null : readSession(row)
  }

  async listSessions(accountId: string): Promise<readonly Session[]> {
    const sql = 'select * from sessions where account_id = :accountId order by created_at, hash'
    return (await this.database.all(sql, { accountId }, repeatable)).map(readSession)
  }

  async deleteSession(hash: string): Promise<void> {
    await this.database.run('delete from sessions where hash = :hash', { hash })
  }

  async deleteSessionsOf(accountId: string): Promise<void> {
    await this.database.run('delete from sessions where account_id = :accountId', { accountId })
  }

  async findInvitation(hash: string): Promise<Invitation | null> {
    const row = await this.database.get('select * from invitations where hash = :hash', { hash }, repeatable)
    return row === undefined ? null : readInvitation(row)
  }

  async listInvitations(): Promise<readonly Invitation[]> {
    return (await this.database.all('select * from invitations order by created_at, hash', {}, repeatable)).map(readInvitation)
  }

  async erase(owners: readonly string[]): Promise<void> {
    for (const accountId of owners)
      for (const table of numerous) while ((await this.eraseSome(table, { accountId, batch: eraseBatch })) === eraseBatch);
    await this.eraseRest(owners)
  }

  async takeInvitation(hash: string): Promise<boolean> {
    return (await this.database.run('delete from invitations where hash = :hash', { hash })) === 1
  }
}

/**
 * Statements that delete what is left of accounts, and the accounts: tables maintained by triggers after their sources, and tokens after
 * their counters.
 *
 * @param owned The dialect's condition for one of `:owners`.
 * @param more.first Tables whose rows are locked before those of others.
 * @param more.tables The dialect's other tables with accounts.
 * @param more.counters Statements for counters of accounts and tokens.
 */
export function eraseStatements(
  owned: string,
  {
    first = [],
    tables,
    counters,
  }: { readonly first?: readonly string[]; readonly tables: readonly string[]; readonly counters: readonly string[] },
): readonly string[] {
  return [
    ...[...first, ...erasedTables, ...tables, 'document_sums', 'sessions'].map((table) => `delete from ${table} where account_id ${owned}`),
    ...counters,
    `delete from access_tokens where account_id ${owned}`,
    `delete from invitations where account_id ${owned} or invited_by ${owned}`,
    `delete from accounts where id ${owned}`,
  ]
}

const erasedTables = [
  ...['reservations', 'usage_entries', 'usage_days', 'usage_details', 'usage_latencies', 'request_records', 'inferences', 'documents'],
  ...['webhook_deliveries', 'webhook_secrets'],
]

/** Parameters for creating an account. */
export function accountParameters({ limits, ...rest }: Account): Values {
  return { ...rest, ...limits, emailKey: rest.email?.toLowerCase() ?? null }
}

/** Sets name, e-mail and password; a password that is null stays as it is. */
export const signInChange = 'name = :name, email = :email, email_key = :emailKey, password_hash = coalesce(:passwordHash, password_hash)'

/** True for the operator, and for an account that is an enabled owner at the time of the write. */
export const byOwner = (parameter: string): string =>
  `(cast(${parameter} as text) is null or exists (select 1 from accounts where id = ${parameter} and role = 'owner' and disabled_at is null))`

/** True unless the account is the last enabled owner who can sign in. */
const keepsAnOwner = `(role <> 'owner' or disabled_at is not null or exists (
  select 1 from accounts as other where other.id <> :accountId and other.role = 'owner' and other.disabled_at is null and other.email is not null))`

/** Finds expired sessions without reading the others. */
export const sessionExpiry = 'create index sessions_expiry on sessions (expires_at);'

/** The statement for a change of an account; it changes a row only if its conditions hold. */
export function writeAccountChange(
  accountId: string,
  { by, keepsOwner = false, role, disabledAt, limits = {} }: AccountChange & ChangeCondition,
): { readonly sql: string; readonly parameters: Values } {
  const { assignments, values } = writeChanges([
    ...(role === undefined ? [] : [['role', role] as const]),
    ...(disabledAt === undefined ? [] : [['disabled_at', disabledAt] as const]),
    ...limitChanges(limits),
  ])
  return {
    sql: `update accounts set ${assignments} where id = :accountId and ${byOwner(':by')}${keepsOwner ? ` and ${keepsAnOwner}` : ''}`,
    parameters: { accountId, by, ...values },
  }
}
