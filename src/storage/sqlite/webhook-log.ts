import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { makeWebhookSecret, readDelivery } from '../rows/log-rows.ts'
import { WebhookTables } from '../tables/webhook-tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Deliveries and secrets in SQLite; completing an inference creates its delivery. */
export class SqliteWebhookLog extends WebhookTables<SqliteDatabase> implements WebhookLog {
  protected readonly secretNumber = 'rowid'

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
    return (await this.database.all(sql, { now: this.clock.now(), limit, perAccount })).map(readDelivery)
  }

  async rotateSecret(accountId: string): Promise<string> {
    const secret = makeWebhookSecret()
    const forget = `delete from webhook_secrets where account_id = :accountId and secret <>
      (select secret from webhook_secrets where account_id = :accountId order by rowid desc limit 1)`
    const insert = 'insert into webhook_secrets (account_id, secret, created_at) values (:accountId, :secret, :now)'
    await this.database.runAll([
      { sql: forget, parameters: { accountId } },
      { sql: insert, parameters: { accountId, secret, now: this.clock.now() } },
    ])
    return secret
  }

  protected async createSecret(accountId: string): Promise<void> {
    const sql = `insert into webhook_secrets (account_id, secret, created_at) select :accountId, :secret, :now
      where not exists (select 1 from webhook_secrets where account_id = :accountId)`
    await this.database.run(sql, { accountId, secret: makeWebhookSecret(), now: this.clock.now() })
  }
}
