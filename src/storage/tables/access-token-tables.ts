import type { AccessToken } from '../../core/access-token.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { TokenTarget } from '../../core/ports/access-token-store.ts'
import { readToken } from '../rows/account-row.ts'
import { limitChanges, writeChanges } from '../rows/limit-columns.ts'
import { type Row, readText } from '../rows/row.ts'
import { lookUp, type Parameters, repeatable, type Statements, Tables } from './statements.ts'

/** Condition for a token that can no longer be used. */
export const spent = '(revoked_at is not null or expires_at is not null and expires_at <= cast(:createdAt as bigint))'

/** Condition for an account with fewer than `:most` usable tokens. */
export const hasRoom = `(select count(*) from access_tokens where account_id = :accountId and not ${spent}) < cast(:most as bigint)`

/** Names of tokens by id. */
export function readNames(rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [readText(row, 'id'), readText(row, 'name')]))
}

/** Access tokens in either database, except what databases write differently. */
export abstract class AccessTokenTables<Database extends Statements> extends Tables<Database> {
  /** Writes while no other call gives the account a usable token. */
  protected abstract inTurn<Result>(accountId: string, write: (statements: Statements) => Promise<Result>): Promise<Result>

  async findByHash(hash: string): Promise<AccessToken | null> {
    const row = await this.database.get('select * from access_tokens where hash = :hash', { hash }, lookUp)
    return row === undefined ? null : readToken(row)
  }

  async list(accountId: string): Promise<readonly AccessToken[]> {
    const sql = 'select * from access_tokens where account_id = :accountId order by created_at, id'
    return (await this.database.all(sql, { accountId }, repeatable)).map(readToken)
  }

  async revoke({ id, accountId }: TokenTarget, revokedAt: number): Promise<boolean> {
    const sql = 'update access_tokens set revoked_at = :revokedAt where id = :id and account_id = :accountId and revoked_at is null'
    return (await this.#write(sql, { id, accountId, revokedAt })) === 1
  }

  async restore(
    { id, accountId }: TokenTarget,
    since: number,
    { most = Number.MAX_SAFE_INTEGER }: { readonly most?: number | undefined },
  ): Promise<boolean> {
    const sql = `update access_tokens set revoked_at = null
      where id = :id and account_id = :accountId and revoked_at >= :since and ${hasRoom}`
    const parameters = { id, accountId, since, most, createdAt: this.clock.now() }
    return this.inTurn(accountId, async (statements) => (await statements.run(sql, parameters)) === 1)
  }

  async revokeAll(accountId: string, revokedAt: number): Promise<number> {
    const sql = 'update access_tokens set revoked_at = :revokedAt where account_id = :accountId and revoked_at is null'
    return this.#write(sql, { accountId, revokedAt })
  }

  async limit({ id, accountId }: TokenTarget, limits: Partial<UseLimits>): Promise<boolean> {
    const changes = limitChanges(limits)
    const { assignments, values } = writeChanges(changes)
    const differs = ['false', ...changes.map(([column]) => `${column} is distinct from :${column}`)].join(' or ')
    const sql = `update access_tokens set ${assignments} where id = :id and account_id = :accountId and (${differs})`
    return (await this.#write(sql, { id, accountId, ...values })) === 1
  }

  async touch(id: string, lastUsedAt: number): Promise<void> {
    await this.#write('update access_tokens set last_used_at = :lastUsedAt where id = :id', { id, lastUsedAt })
  }

  /** All of these statements may be repeated without further effect. */
  async #write(sql: string, parameters: Parameters): Promise<number> {
    return this.database.run(sql, parameters, repeatable)
  }
}
