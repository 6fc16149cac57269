import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'
import { readAccount, readInvitation, readSession } from '../rows/account-row.ts'
import { accountLimitNames, accountLimitParameters } from '../rows/limit-columns.ts'
import { readInteger, readText } from '../rows/row.ts'
import { lookUpLimitMs } from './access-token-store.ts'
import { changeAccount, lockAccounts } from './change-account.ts'
import type { Database, Parameters, Statements } from './database.ts'
import { sqlState } from './database-fault.ts'

type Options = { readonly signal: AbortSignal }

const uniqueViolation = '23505'

const insertInvitation = `insert into invitations (hash, role, account_id, invited_by, created_at, expires_at)
  values (:hash, :role, :accountId, :invitedBy, :createdAt, :expiresAt)`

/** Order of deletion: tables maintained by triggers after their sources, and tokens after their counters. */
const erasing: readonly string[] = [
  ...['reservations', 'usage_entries', 'usage_days', 'usage_details', 'usage_latencies', 'request_records', 'queue', 'inferences'],
  ...[
    'idempotency_keys',
    'stored_outputs',
    'documents',
    'webhook_deliveries',
    'webhook_secrets',
    'document_sums',
    'account_totals',
    'sessions',
  ],
]
  .map((table) => `delete from ${table} where account_id = any(:owners::text[])`)
  .concat(
    // A subject is an account or token, prefixed by the name of the counter.
    ['request_minutes', 'kept_places'].map(
      (table) => `delete from ${table} where substring(subject from '[^ ]*$') = any(:owners::text[])
        or substring(subject from '[^ ]*$') in (select id from access_tokens where account_id = any(:owners::text[]))`,
    ),
    'delete from access_tokens where account_id = any(:owners::text[])',
    'delete from invitations where account_id = any(:owners::text[]) or invited_by = any(:owners::text[])',
    'delete from accounts where id = any(:owners::text[])',
  )

/** Accounts, sessions and invitations, shared by all nodes. */
export class PostgresAccountStore implements AccountStore {
  readonly #database: Database
  readonly #endWork: (accountId: string) => Promise<void>
  readonly #onLimits: () => void

  /**
   * @param effects.endWork Ends the waiting work of a disabled account.
   * @param effects.onLimits Called when the limits of an account may have changed.
   */
  constructor(
    database: Database,
    { endWork, onLimits }: { readonly endWork: (accountId: string) => Promise<void>; readonly onLimits: () => void },
  ) {
    this.#database = database
    this.#endWork = endWork
    this.#onLimits = onLimits
  }

  async create(account: Account): Promise<void> {
    await insertAccount(this.#database, account)
    this.#onLimits()
  }

  async createFirstOwner(account: Account): Promise<boolean> {
    return this.#database.transaction(async (statements) => {
      await lockAccounts(statements)
      if ((await statements.get("select 1 from accounts where role = 'owner' limit 1")) !== undefined) return false
      await insertAccount(statements, account)
      return true
    })
  }

  async find(id: string): Promise<Account | null> {
    const options = { repeatable: true, limitMs: lookUpLimitMs }
    const row = await this.#database.get('select * from accounts where id = :id', { id }, options)
    return row === undefined ? null : readAccount(row)
  }

  async list(): Promise<readonly Account[]> {
    return (await this.#database.all('select * from accounts order by created_at, id', {}, { repeatable: true })).map(readAccount)
  }

  async weights(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.all('select id, weight from accounts where weight is not null', {}, { repeatable: true })
    return new Map(rows.map((row) => [readText(row, 'id'), readInteger(row, 'weight')]))
  }

  async findByEmail(email: string): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
    const sql = 'select * from accounts where email_key = :key and password_hash is not null'
    const row = await this.#database.get(sql, { key: email.toLowerCase() }, { repeatable: true })
    return row === undefined ? null : { account: readAccount(row), passwordHash: readText(row, 'password_hash') }
  }

  async setSignIn(
    accountId: string,
    { name, email, passwordHash }: { readonly name: string; readonly email: string; readonly passwordHash: string },
  ): Promise<boolean> {
    const sql =
      'update accounts set name = :name, email = :email, email_key = :emailKey, password_hash = :passwordHash where id = :accountId'
    return this.#writeUnlessTaken(sql, { accountId, name, email, emailKey: email.toLowerCase(), passwordHash })
  }

  async setProfile(accountId: string, { name, email }: { readonly name: string; readonly email: string }): Promise<boolean> {
    const sql = 'update accounts set name = :name, email = :email, email_key = :emailKey where id = :accountId and email is null'
    return this.#writeUnlessTaken(sql, { accountId, name, email, emailKey: email.toLowerCase() })
  }

  async change(accountId: string, change: AccountChange & ChangeCondition): Promise<boolean> {
    const changed = await this.#database.transaction((statements) => changeAccount(statements, accountId, change), { repeatable: true })
    this.#onLimits()
    if (changed && typeof change.disabledAt === 'number') await this.#endWork(accountId)
    return changed
  }

  async erase(owners: readonly string[]): Promise<void> {
    const erase = async (statements: Statements) => {
      for (const sql of erasing) await statements.run(sql, { owners: [...owners] })
    }
    await this.#database.transaction(erase, { repeatable: true })
    this.#onLimits()
  }

  async createSession(session: Session): Promise<boolean> {
    // The lock prevents a concurrent disabling from leaving a session behind.
    const sql = `insert into sessions (hash, account_id, address, agent, created_at, expires_at, last_used_at)
      select :hash, account.id, :address, :agent, :createdAt, :expiresAt, :lastUsedAt
      from (select id from accounts where id = :accountId and disabled_at is null for share) as account
      on conflict (hash) do nothing`
    return (await this.#write(sql, { ...session })) === 1
  }

  async touchSession(hash: string, lastUsedAt: number): Promise<void> {
    await this.#write('update sessions set last_used_at = :lastUsedAt where hash = :hash', { hash, lastUsedAt })
  }

  async findSession(hash: string): Promise<Session | null> {
    const options = { repeatable: true, limitMs: lookUpLimitMs }
    const row = await this.#database.get('select * from sessions where hash = :hash', { hash }, options)
    return row === undefined ? null : readSession(row)
  }

  async listSessions(accountId: string): Promise<readonly Session[]> {
    const sql = 'select * from sessions where account_id = :accountId order by created_at, hash'
    return (await this.#database.all(sql, { accountId }, { repeatable: true })).map(readSession)
  }

  async deleteSession(hash: string): Promise<void> {
    await this.#write('delete from sessions where hash = :hash', { hash })
  }

  async deleteSessionsOf(accountId: string): Promise<void> {
    await this.#write('delete from sessions where account_id = :accountId', { accountId })
  }

  async createInvitation(invitation: Invitation): Promise<boolean> {
    const { accountId, invitedBy } = invitation
    return this.#database.transaction(async (statements) => {
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
    { unlessSince }: Options & { readonly unlessSince: number },
  ): Promise<boolean> {
    const { accountId } = invitation
    return this.#database.transaction(async (statements) => {
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

  async findInvitation(hash: string): Promise<Invitation | null> {
    const row = await this.#database.get('select * from invitations where hash = :hash', { hash }, { repeatable: true })
    return row === undefined ? null : readInvitation(row)
  }

  async listInvitations(): Promise<readonly Invitation[]> {
    return (await this.#database.all('select * from invitations order by created_at, hash collate "C"', {}, { repeatable: true })).map(
      readInvitation,
    )
  }

  async takeInvitation(hash: string): Promise<boolean> {
    return (await this.#write('delete from invitations where hash = :hash', { hash })) === 1
  }

  /** False = the e-mail belongs to another account. */
  async #writeUnlessTaken(sql: string, parameters: Parameters): Promise<boolean> {
    try {
      return (await this.#write(sql, parameters)) === 1
    } catch (error) {
      if (sqlState(error) === uniqueViolation) return false
      throw error
    }
  }

  async #write(sql: string, parameters: Parameters): Promise<number> {
    return this.#database.run(sql, parameters)
  }
}

async function insertAccount(statements: Statements, { limits, ...rest }: Account): Promise<void> {
  const sql = `insert into accounts
      (id, name, email, email_key, role, created_at, disabled_at, ${accountLimitNames})
    values (:id, :name, :email, :emailKey, :role, :createdAt, :disabledAt, ${accountLimitParameters})`
  await statements.run(sql, { ...rest, ...limits, emailKey: rest.email?.toLowerCase() ?? null })
}
