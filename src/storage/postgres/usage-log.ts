import { budgetStarts } from '../../core/limits/budget.ts'
import type { BookingOptions, UsageLog } from '../../core/ports/usage-log.ts'
import { firstHourDay, type UsageEntry } from '../../core/usage.ts'
import { entryColumns, entryParameters, summed, sums } from '../rows/usage-row.ts'
import type { Statements } from '../tables/statements.ts'
import { UsageTables } from '../tables/usage-tables.ts'
import type { Database } from './database.ts'

/** Entries per commit of a roll-up. Entries of the current minute stay, because budgets of a minute count them. */
const batch = 2000
/** Entries stay for this much longer, so that a write repeated soon after a lost answer finds the first. */
const repeatedMs = 30_000
/** The work of summed entries is remembered for this long, because writes are repeated until an outage ends. */
const rememberedMs = 24 * 60 * 60 * 1000

const added = ['requests', ...sums].map((name) => `${name} = sum.${name} + excluded.${name}`).join(', ')

/** Sums per UTC day, account and model, and the entries since the last roll-up. Appending entries never blocks other appends. */
export class PostgresUsageLog extends UsageTables<Database> implements UsageLog {
  protected readonly entryHour = entryHour
  protected readonly twoDigits = "lpad(hour::text, 2, '0')"

  /** By account, the appends under way that release a reservation. */
  readonly #releasing = new Map<string, Promise<void>>()

  async append(entry: UsageEntry, { id, isReserved = id !== undefined }: BookingOptions): Promise<void> {
    const append = this.#append(entry, id)
    if (isReserved) this.#noteRelease(entry.accountId, append)
    await append
  }

  /** Resolves when all appends that began earlier have released the reservations of an account, or have failed. */
  async released(accountId: string): Promise<void> {
    await this.#releasing.get(accountId)
  }

  #noteRelease(accountId: string, append: Promise<void>): void {
    const released = Promise.allSettled([this.#releasing.get(accountId), append]).then(() => {
      if (this.#releasing.get(accountId) === released) this.#releasing.delete(accountId)
    })
    this.#releasing.set(accountId, released)
  }

  async #append(entry: UsageEntry, id: string | undefined): Promise<void> {
    const sql = `with settled as (delete from reservations where id = :workId)
      insert into usage_entries (${entryColumns.names}) select ${entryColumns.parameters}
        where not exists (select from summed_work where at = :at and work_id = :workId)
      on conflict do nothing`
    const options = { repeatable: id !== undefined }
    const write = (statements: Statements) => statements.run(sql, entryParameters(entry, id), options)
    if (id === undefined || entry.at > this.clock.now() - repeatedMs / 2) await write(this.database)
    // A roll-up must not move the work from one table to the other while both are checked.
    else
      await this.database.transaction(async (statements) => {
        await statements.run('select pg_advisory_xact_lock_shared(:rollUpLock)', { rollUpLock })
        return write(statements)
      }, options)
  }

  async rollUp(): Promise<number> {
    const detail = (name: string, hour: string) => `${name} as (
        insert into usage_details as sum (day, hour, account_id, token_id, model, requests, ${sums.join(', ')})
          select day, ${hour}, account_id, coalesce(token_id, ''), model, ${summed} from gone group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
        on conflict (day, hour, account_id, token_id, model) do update set ${added})`
    const latencies = (name: string, hour: string) => `${name} as (
        insert into usage_latencies as sum (day, hour, account_id, token_id, model, what, bucket, count)
          select day, ${hour}, account_id, coalesce(token_id, ''), model, what, bucket, count(*)
          from gone cross join lateral (values (0, whole_bucket), (1, first_bucket)) as taken (what, bucket)
          where bucket is not null group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
        on conflict (day, hour, account_id, token_id, model, what, bucket) do update set count = sum.count + excluded.count)`
    const now = this.clock.now()
    const sql = `with gone as (
        delete from usage_entries where seq = any (array(
          select seq from usage_entries where (select pg_try_advisory_xact_lock(:rollUpLock)) and at < :since
            order by seq limit :batch for update skip locked))
        returning *),
      summed as (
        insert into usage_days as sum (day, account_id, model, requests, ${sums.join(', ')})
          select day, account_id, model, ${summed} from gone group by day, account_id, model order by day, account_id, model
        on conflict (day, account_id, model) do update set ${added}),
      ${detail('days', '-1')},
      ${detail('hours', entryHour)},
      ${latencies('slow_days', '-1')},
      ${latencies('slow_hours', entryHour)},
      remembered as (insert into summed_work (at, work_id) select at, work_id from gone where work_id is not null on conflict do nothing),
      forgotten as (delete from summed_work where ctid = any (array(select ctid from summed_work where at < :forgottenBefore order by at limit :batch))),
      old_hours as (delete from usage_details where hour >= 0 and day < :hoursFrom),
      old_latencies as (delete from usage_latencies where hour >= 0 and day < :hoursFrom)
      select seq from gone`
    const until = { since: budgetStarts(now).minute - repeatedMs, hoursFrom: firstHourDay(now), forgottenBefore: now - rememberedMs }
    return (await this.database.all(sql, { batch, rollUpLock, ...until })).length
  }
}

/** The UTC hour of an entry. */
const entryHour = `(extract(hour from to_timestamp(at / 1000) at time zone 'UTC'))::smallint`

/** Lets one node roll up at a time. */
const rollUpLock = 7_335_742_003
