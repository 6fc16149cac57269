import type { AccessToken } from '../../core/access-token.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import { readToken } from '../rows/account-row.ts'
import { limitChanges, limitNames, limitParameters } from '../rows/limit-columns.ts'
import { readText } from '../rows/row.ts'
import { SqliteTables } from './sqlite-tables.ts'

/** Condition for a token that can no longer be used. */
const spent = '(revoked_at is not null or expires_at is not null and expires_at <= :createdAt)'

type Options = { readonly signal: AbortSignal }

/** Access tokens in SQLite; the next read sees a revocation by another process. */
export class SqliteAccessTokenStore extends SqliteTables implements AccessTokenStore {
  async create(
    { limits, ...token }: AccessToken,
    { most = Number.MAX_SAFE_INTEGER }: Options & { readonly most?: number },
  ): Promise<boolean> {
    const sql = `insert into access_tokens (id, account_id, name, hash, hint, scopes, created_at, expires_at, revoked_at, last_used_at, ${limitNames})
      select :id, :accountId, :name, :hash, :hint, :scopes, :createdAt, :expiresAt, :revokedAt, :lastUsedAt, ${limitParameters}
      where (select count(*) from access_tokens where account_id = :accountId and not ${spent}) < :most`
    const insert = { sql, parameters: { ...token, ...limits, scopes: token.scopes.join(' '), most } }
    const forget = {
      sql: `delete from access_tokens where id in (
        select id from access_tokens where account_id = :accountId and ${spent} order by created_at desc, id limit -1 offset :most)`,
      parameters: { accountId: token.accountId, createdAt: token.createdAt, most },
    }
    const [kept] = await this.writer.run('execute', [insert, forget], this.clock.now())
    return kept === 1
  }

  async findByHash(hash: string): Promise<AccessToken | null> {
    const row = this.reader.get('select * from access_tokens where hash = :hash', { hash })
    return row === undefined ? null : readToken(row)
  }

  async list(accountId: string): Promise<readonly AccessToken[]> {
    const sql = 'select * from access_tokens where account_id = :accountId order by created_at, id'
    return this.reader.all(sql, { accountId }).map(readToken)
  }

  async revoke({ id, accountId }: TokenTarget, revokedAt: number): Promise<boolean> {
    const sql = 'update access_tokens set revoked_at = coalesce(revoked_at, :revokedAt) where id = :id and account_id = :accountId'
    return (await this.write({ sql, parameters: { id, accountId, revokedAt } })) === 1
  }

  async restore({ id, accountId }: TokenTarget, since: number): Promise<boolean> {
    const sql = 'update access_tokens set revoked_at = null where id = :id and account_id = :accountId and revoked_at >= :since'
    return (await this.write({ sql, parameters: { id, accountId, since } })) === 1
  }

  async revokeAll(accountId: string, revokedAt: number): Promise<number> {
    const sql = 'update access_tokens set revoked_at = :revokedAt where account_id = :accountId and revoked_at is null'
    return this.write({ sql, parameters: { accountId, revokedAt } })
  }

  async revokedOf(ids: readonly string[]): Promise<readonly string[]> {
    const sql = `select value as id from json_each(:ids)
      where not exists (select 1 from access_tokens where access_tokens.id = value and revoked_at is null)`
    return this.reader.all(sql, { ids: JSON.stringify(ids) }).map((row) => readText(row, 'id'))
  }

  async limit({ id, accountId }: TokenTarget, limits: Partial<UseLimits>): Promise<boolean> {
    const columns = limitChanges(limits)
    const assignments = ['id = id', ...columns.map(([column]) => `${column} = :${column}`)].join(', ')
    const sql = `update access_tokens set ${assignments} where id = :id and account_id = :accountId`
    return (await this.write({ sql, parameters: { id, accountId, ...Object.fromEntries(columns) } })) === 1
  }

  async touch(id: string, lastUsedAt: number): Promise<void> {
    const sql = 'update access_tokens set last_used_at = :lastUsedAt where id = :id'
    await this.write({ sql, parameters: { id, lastUsedAt } })
  }
}
