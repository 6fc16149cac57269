import type { AccessToken } from '../../core/access-token.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { tokenColumns } from '../rows/account-row.ts'
import { readText } from '../rows/row.ts'
import { AccessTokenTables, hasRoom, readNames, spent } from '../tables/access-token-tables.ts'
import { repeatable, type Statements } from '../tables/statements.ts'
import type { Database } from './database.ts'

/** Access tokens, shared by all nodes. */
export class PostgresAccessTokenStore extends AccessTokenTables<Database> implements AccessTokenStore {
  readonly #onLimits: () => void

  /** @param onLimits Called when the limits of a token may have changed. */
  constructor(database: Database, clock: Clock, onLimits: () => void) {
    super(database, clock)
    this.#onLimits = onLimits
  }

  async create(
    { limits, ...token }: AccessToken,
    { most = Number.MAX_SAFE_INTEGER }: { readonly most?: number | undefined },
  ): Promise<boolean> {
    const { accountId, createdAt } = token
    return this.inTurn(accountId, async (statements) => {
      const kept = await statements.run(
        `insert into access_tokens (${tokenColumns.names}) select ${tokenColumns.parameters}
         where ${hasRoom}`,
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

  protected inTurn<Result>(accountId: string, write: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (statements) => {
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('tokens of ' || :accountId, 0))`, { accountId })
      return write(statements)
    })
  }

  async revokedOf(ids: readonly string[]): Promise<readonly string[]> {
    const sql = `select used.id from unnest(:ids::text[]) as used (id)
      where not exists (select 1 from access_tokens where access_tokens.id = used.id and revoked_at is null)`
    return (await this.database.all(sql, { ids }, repeatable)).map((row) => readText(row, 'id'))
  }

  async namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const sql = 'select id, name from access_tokens where id = any(:ids::text[])'
    return readNames(await this.database.all(sql, { ids }, repeatable))
  }

  override async limit(target: TokenTarget, limits: Partial<UseLimits>): Promise<boolean> {
    const changed = await super.limit(target, limits)
    this.#onLimits()
    return changed
  }
}
