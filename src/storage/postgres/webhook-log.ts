import type { Clock } from '../../core/ports/clock.ts'
import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'
import { currentSecrets, listed, makeWebhookSecret, readDelivery } from '../rows/log-rows.ts'
import { readInteger, readText } from '../rows/row.ts'
import type { Database } from './database.ts'

/** Lease of a delivery; longer than any attempt. */
export const takenMs = 60_000

/** Deliveries and secrets of all nodes; each attempt is made by one node. */
export class PostgresWebhookLog implements WebhookLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #holder: string

  /** @param holder The delivering process. */
  constructor(database: Database, { clock, holder }: { readonly clock: Clock; readonly holder: string }) {
    this.#database = database
    this.#clock = clock
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
    const now = this.#clock.now()
    const parameters = { now, until: now + takenMs, holder: this.#holder, limit, perAccount }
    const rows = await this.#database.all(sql, parameters, { repeatable: true })
    return rows.map(readDelivery).sort((a, b) => a.nextAttemptAt - b.nextAttemptAt)
  }

  async record(
    id: string,
    { state, nextAttemptAt, result }: { readonly state: WebhookDelivery['state']; readonly nextAttemptAt: number; readonly result: string },
  ): Promise<void> {
    const sql = `update webhook_deliveries set attempts = attempts + 1, state = :state, next_attempt_at = :nextAttemptAt, last_result = :result,
        taken_until = 0
      where id = :id and state = 'waiting'`
    await this.#database.run(sql, { id, state, nextAttemptAt, result })
  }

  async list(accountId: string): Promise<readonly WebhookDelivery[]> {
    const sql = 'select * from webhook_deliveries where account_id = :accountId order by created_at desc, id limit :listed'
    return (await this.#database.all(sql, { accountId, listed }, { repeatable: true })).map(readDelivery)
  }

  async secrets(accountId: string): Promise<readonly string[]> {
    const known = await this.#readSecrets(accountId)
    if (known.length > 0) return known
    await this.#database.transaction(async (statements) => {
      // Two concurrent callers may both find none; only the first one's secret is stored.
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('secrets of ' || :accountId, 0))`, { accountId })
      const sql = `insert into webhook_secrets (account_id, secret, created_at) select :accountId, :secret, :now::bigint
        where not exists (select 1 from webhook_secrets where account_id = :accountId)`
      await statements.run(sql, { accountId, secret: makeWebhookSecret(), now: this.#clock.now() })
    })
    return this.#readSecrets(accountId)
  }

  async rotateSecret(accountId: string): Promise<string> {
    const secret = makeWebhookSecret()
    await this.#database.transaction(async (statements) => {
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('secrets of ' || :accountId, 0))`, { accountId })
      await statements.run(
        `delete from webhook_secrets where account_id = :accountId and seq <
           (select max(seq) from webhook_secrets where account_id = :accountId)`,
        { accountId },
      )
      const sql = 'insert into webhook_secrets (account_id, secret, created_at) values (:accountId, :secret, :now)'
      await statements.run(sql, { accountId, secret, now: this.#clock.now() })
    })
    return secret
  }

  async #readSecrets(accountId: string): Promise<readonly string[]> {
    const sql = 'select secret, created_at from webhook_secrets where account_id = :accountId order by seq desc limit 2'
    const rows = await this.#database.all(sql, { accountId }, { repeatable: true })
    const known = rows.map((row) => ({ secret: readText(row, 'secret'), createdAt: readInteger(row, 'created_at') }))
    return currentSecrets(known, this.#clock.now())
  }
}
