import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { currentSecrets, listed, makeWebhookSecret, readDelivery } from '../rows/log-rows.ts'
import { readInteger, readText } from '../rows/row.ts'
import { SqliteTables } from './sqlite-tables.ts'

/** Deliveries and secrets in SQLite; completing an inference creates its delivery. */
export class SqliteWebhookLog extends SqliteTables implements WebhookLog {
  async due({ limit, perAccount }: { readonly limit: number; readonly perAccount: number }): Promise<readonly WebhookDelivery[]> {
    // Steps from account to account in the index, so that many waiting deliveries of one account cost nothing.
    const sql = `with recursive waiting (account_id) as (
        select min(account_id) from webhook_deliveries where state = 'waiting'
        union all
        select (select min(account_id) from webhook_deliveries where state = 'waiting' and account_id > waiting.account_id)
          from waiting where account_id is not null)
      select delivery.* from waiting cross join webhook_deliveries as delivery on delivery.id in (
        select id from webhook_deliveries where state = 'waiting' and account_id = waiting.account_id and next_attempt_at <= :now
        order by next_attempt_at limit :perAccount)
      order by next_attempt_at limit :limit`
    return this.reader.all(sql, { now: this.clock.now(), limit, perAccount }).map(readDelivery)
  }

  async record(
    id: string,
    { state, nextAttemptAt, result }: { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string },
  ): Promise<void> {
    const sql = `update webhook_deliveries set attempts = attempts + 1, state = :state, next_attempt_at = :nextAttemptAt, last_result = :result
      where id = :id and state = 'waiting'`
    await this.writer.run('execute', [{ sql, parameters: { id, state, nextAttemptAt, result } }], this.clock.now())
  }

  async list(accountId: string): Promise<readonly WebhookDelivery[]> {
    const sql = 'select * from webhook_deliveries where account_id = :accountId order by created_at desc, id limit :listed'
    return this.reader.all(sql, { accountId, listed }).map(readDelivery)
  }

  async secrets(accountId: string): Promise<readonly string[]> {
    const known = this.#readSecrets(accountId)
    if (known.length > 0) return known
    // Two concurrent callers may both find none; only the first one's secret is stored.
    const sql = `insert into webhook_secrets (account_id, secret, created_at) select :accountId, :secret, :now
      where not exists (select 1 from webhook_secrets where account_id = :accountId)`
    const now = this.clock.now()
    await this.writer.run('execute', [{ sql, parameters: { accountId, secret: makeWebhookSecret(), now } }], now)
    return this.#readSecrets(accountId)
  }

  async rotateSecret(accountId: string): Promise<string> {
    const secret = makeWebhookSecret()
    const now = this.clock.now()
    const statements = [
      {
        sql: `delete from webhook_secrets where account_id = :accountId and secret <>
          (select secret from webhook_secrets where account_id = :accountId order by rowid desc limit 1)`,
        parameters: { accountId },
      },
      {
        sql: `insert into webhook_secrets (account_id, secret, created_at)
          values (:accountId, :secret, :now)`,
        parameters: { accountId, secret, now },
      },
    ]
    await this.writer.run('execute', statements, now)
    return secret
  }

  #readSecrets(accountId: string): readonly string[] {
    const sql = 'select secret, created_at from webhook_secrets where account_id = :accountId order by rowid desc limit 2'
    const rows = this.reader.all(sql, { accountId })
    const known = rows.map((row) => ({ secret: readText(row, 'secret'), createdAt: readInteger(row, 'created_at') }))
    return currentSecrets(known, this.clock.now())
  }
}
