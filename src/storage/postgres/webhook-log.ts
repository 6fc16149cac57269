import type { Clock } from '../../core/ports/clock.ts'
import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { makeWebhookSecret, readDelivery } from '../rows/log-rows.ts'
import { repeatable } from '../tables/statements.ts'
import { WebhookTables } from '../tables/webhook-tables.ts'
import type { Database } from './database.ts'

/** Lease of a delivery; longer than any attempt. */
export const takenMs = 60_000

/** Deliveries and secrets of all nodes; each attempt is made by one node. */
export class PostgresWebhookLog extends WebhookTables<Database> implements WebhookLog {
  protected readonly secretNumber = 'seq'
  protected override readonly ended = ', taken_until = 0'
  readonly #holder: string

  /** @param holder The delivering process. */
  constructor(database: Database, clock: Clock, holder: string) {
    super(database, clock)
    this.#holder = holder
  }

  async due({ limit, perAccount }: { readonly limit: number; readonly perAccount: number }): Promise<readonly WebhookDelivery[]> {
    // Steps from account to account in the index, so that many waiting deliveries of one account cost nothing.
    const sql = `with recursive waiting (account_id) as (
        (select account_id from webhook_deliveries where state = 'waiting' order by account_id limit 1)
        union all
        select (select account_id from webhook_deliveries where state = 'waiting' and account_id > waiting.account_id order by account_id limit 1)
          from waiting where account_id is not null),
      chosen as (
        select delivery.id from waiting cross join lateral (
          select id, next_attempt_at from webhook_deliveries
          where state = 'waiting' and account_id = waiting.account_id and next_attempt_at <= :now
            and (taken_until <= :now or taken_by = :holder)
          order by next_attempt_at, created_at limit :perAccount for update skip locked) as delivery
        order by delivery.next_attempt_at limit :limit)
      update webhook_deliveries as delivery set taken_by = :holder, taken_until = :until from chosen
      where delivery.id = chosen.id returning delivery.*`
    const now = this.clock.now()
    const parameters = { now, until: now + takenMs, holder: this.#holder, limit, perAccount }
    const rows = await this.database.all(sql, parameters, repeatable)
    return rows.map(readDelivery).sort((a, b) => a.nextAttemptAt - b.nextAttemptAt)
  }

  async rotateSecret(accountId: string): Promise<string> {
    const secret = makeWebhookSecret()
    await this.database.transaction(async (statements) => {
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('secrets of ' || :accountId, 0))`, { accountId })
      await statements.run(
        `delete from webhook_secrets where account_id = :accountId and seq <
           (select max(seq) from webhook_secrets where account_id = :accountId)`,
        { accountId },
      )
      const sql = 'insert into webhook_secrets (account_id, secret, created_at) values (:accountId, :secret, :now)'
      await statements.run(sql, { accountId, secret, now: this.clock.now() })
    })
    return secret
  }

  protected async createSecret(accountId: string): Promise<void> {
    await this.database.transaction(async (statements) => {
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('secrets of ' || :accountId, 0))`, { accountId })
      const sql = `insert into webhook_secrets (account_id, secret, created_at) select :accountId, :secret, :now::bigint
        where not exists (select 1 from webhook_secrets where account_id = :accountId)`
      await statements.run(sql, { accountId, secret: makeWebhookSecret(), now: this.clock.now() })
    })
  }
}
