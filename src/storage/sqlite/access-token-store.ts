import type { AccessToken } from '../../core/access-token.ts'
import type { AccessTokenStore } from '../../core/ports/access-token-store.ts'
import { tokenColumns } from '../rows/account-row.ts'
import { readText } from '../rows/row.ts'
import { AccessTokenTables, hasRoom, readNames, spent } from '../tables/access-token-tables.ts'
import type { Statements } from '../tables/statements.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Access tokens in SQLite; the next read sees a revocation by another process. */
export class SqliteAccessTokenStore extends AccessTokenTables<SqliteDatabase> implements AccessTokenStore {
  async create(
    { limits, ...token }: AccessToken,
    { most = Number.MAX_SAFE_INTEGER }: { readonly most?: number | undefined },
  ): Promise<boolean> {
    const { accountId, createdAt } = token
    const sql = `insert into access_tokens (${tokenColumns.names}) select ${tokenColumns.parameters} where ${hasRoom}`
    const forget = `delete from access_tokens where id in (
        select id from access_tokens where account_id = :accountId and ${spent} order by created_at desc, id limit -1 offset :most)`
    const [kept] = await this.database.runAll([
      { sql, parameters: { ...token, ...limits, scopes: token.scopes.join(' '), most } },
      { sql: forget, parameters: { accountId, createdAt, most } },
    ])
    return kept === 1
  }

  /** There is one writer, so that each statement has its turn. */
  protected inTurn<Result>(_accountId: string, write: (statements: Statements) => Promise<Result>): Promise<Result> {
    return write(this.database)
  }

  async revokedOf(ids: readonly string[]): Promise<readonly string[]> {
    const sql = `select value as id from json_each(:ids)
      where not exists (select 1 from access_tokens where access_tokens.id = value and revoked_at is null)`
    return (await this.database.all(sql, { ids: JSON.stringify(ids) })).map((row) => readText(row, 'id'))
  }

  async namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const sql = 'select id, name from access_tokens where id in (select value from json_each(:ids))'
    return readNames(await this.database.all(sql, { ids: JSON.stringify(ids) }))
  }
}
