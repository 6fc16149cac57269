import type { AccessToken } from '../../core/access-token.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import { readToken } from '../rows/account-row.ts'
import { limitChanges, limitColumns, limitNames } from '../rows/limit-columns.ts'
import { readText } from '../rows/row.ts'
import type { Database, Parameters } from './database.ts'

/** Condition for a token that can no longer be used. */
const spent = '(revoked_at is not null or expires_at is not null and expires_at <= :createdAt::bigint)'

/**
 * Time limit of authenticating queries. It ensures that a revocation takes effect within five seconds even with a slow database: a slow
 * query ends with 503 instead of outdated access.
 */
export const lookUpLimitMs = 1000

type Options = { readonly signal: AbortSignal }

/** Access tokens, shared by all nodes. */
export class PostgresAccessTokenStore implements AccessTokenStore {
  readonly #database: Database
  readonly #onLimits: () => void

  /** @param onLimits Called when the limits of a token may have changed. */
  constructor(database: Database, onLimits: () => void) {
    this.#database = database
    this.#onLimits = onLimits
  }

  async create(
    { limits, ...token }: AccessToken,
    { most = Number.MAX_SAFE_INTEGER }: Options & { readonly most?: number },
  ): Promise<boolean> {
    const { accountId, createdAt } = token
    return this.#database.transaction(async (statements) => {
      // Serialized per account, so that concurrent calls cannot exceed the maximum.
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('tokens of ' || :accountId, 0))`, { accountId })
      const kept = await statements.run(
        `insert into access_tokens (id, account_id, name, hash, hint, scopes, created_at, expires_at, revoked_at, last_used_at, ${limitNames})
         select :id, :accountId, :name, :hash, :hint, :scopes, :createdAt::bigint, :expiresAt::bigint, :revokedAt::bigint, :lastUsedAt::bigint,
           ${limitColumns.map(([name]) => `:${name}::bigint`).join(', ')}
         where (select count(*) from access_tokens where account_id = :accountId and not ${spent}) < :most::bigint`,
        { ...token, ...limits, scopes: token.scopes.join(' '), most },
      )
      await statements.run(
        `delete from access_tokens where id in (
           select id from access_tokens where account_id = :accountId and ${spent} order by created_at desc, id offset :most::bigint)`,
        { accountId, createdAt, most },
      )
      return kept === 1
    })
  }

  async findByHash(hash: string): Promise<AccessToken | null> {
    const options = { repeatable: true, limitMs: lookUpLimitMs }
    const row = await this.#database.get('select * from access_tokens where hash = :hash', { hash }, options)
    return row === undefined ? null : readToken(row)
  }

  async list(accountId: string): Promise<readonly AccessToken[]> {
    const sql = 'select * from access_tokens where account_id = :accountId order by created_at, id'
    return (await this.#database.all(sql, { accountId }, { repeatable: true })).map(readToken)
  }

  async revoke({ id, accountId }: TokenTarget, revokedAt: number): Promise<boolean> {
    const sql = 'update access_tokens set revoked_at = coalesce(revoked_at, :revokedAt) where id = :id and account_id = :accountId'
    return (await this.#write(sql, { id, accountId, revokedAt })) === 1
  }

  async restore({ id, accountId }: TokenTarget, since: number): Promise<boolean> {
    const sql = 'update access_tokens set revoked_at = null where id = :id and account_id = :accountId and revoked_at >= :since'
    return (await this.#write(sql, { id, accountId, since })) === 1
  }

  async revokeAll(accountId: string, revokedAt: number): Promise<number> {
    const sql = 'update access_tokens set revoked_at = :revokedAt where account_id = :accountId and revoked_at is null'
    return this.#write(sql, { accountId, revokedAt })
  }

  async revokedOf(ids: readonly string[]): Promise<readonly string[]> {
    const sql = `select used.id from unnest(:ids::text[]) as used (id)
      where not exists (select 1 from access_tokens where access_tokens.id = used.id and revoked_at is null)`
    return (await this.#database.all(sql, { ids }, { repeatable: true })).map((row) => readText(row, 'id'))
  }

  async limit({ id, accountId }: TokenTarget, limits: Partial<UseLimits>): Promise<boolean> {
    const columns = limitChanges(limits)
    const assignments = ['id = id', ...columns.map(([column]) => `${column} = :${column}`)].join(', ')
    const sql = `update access_tokens set ${assignments} where id = :id and account_id = :accountId`
    const changed = await this.#write(sql, { id, accountId, ...Object.fromEntries(columns) })
    this.#onLimits()
    return changed === 1
  }

  async touch(id: string, lastUsedAt: number): Promise<void> {
    await this.#write('update access_tokens set last_used_at = :lastUsedAt where id = :id', { id, lastUsedAt })
  }

  /** All of these statements may be repeated without further effect. */
  async #write(sql: string, parameters: Parameters): Promise<number> {
    return this.#database.run(sql, parameters, { repeatable: true })
  }
}
