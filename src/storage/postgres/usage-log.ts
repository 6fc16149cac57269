import { budgetStarts } from '../../core/limits/budget.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import { firstHourDay, type UsageDay, type UsageEntry, type UsageQuestion, type UsageSum } from '../../core/usage.ts'
import { countOutcome, dimensionColumns, latencyBuckets, readUsageDay, readUsageSums, summed, sums } from '../rows/usage-row.ts'
import type { Database } from './database.ts'

type Options = { readonly signal: AbortSignal }

/** Entries per commit of a roll-up. Entries of the current minute stay, because budgets of a minute count them. */
const batch = 2000

const added = ['requests', ...sums].map((name) => `${name} = sum.${name} + excluded.${name}`).join(', ')

/** Sums per UTC day, account and model, and the entries since the last roll-up. Appending entries never blocks other appends. */
export class PostgresUsageLog implements UsageLog {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async append(entry: UsageEntry, { id, again = false }: Options & { readonly id?: string; readonly again?: boolean }): Promise<void> {
    const { accountId, tokenId, model, promptTokens, completionTokens, images, cost, at } = entry
    const values =
      ':day, :at, :accountId, :tokenId, :model, :failures, :refusals, :promptTokens, :completionTokens, :images, :cost, :whole, :first'
    const sql = `with settled as (delete from reservations where id = :id)
      insert into usage_entries
        (day, at, account_id, token_id, model, failures, refusals, prompt_tokens, completion_tokens, images, cost, whole_bucket, first_bucket)
      ${again ? `select ${values} where not exists (select 1 from usage_entries where ${isSameEntry})` : `values (${values})`}`
    const counts = { ...countOutcome(entry), promptTokens, completionTokens, images, cost, ...latencyBuckets(entry) }
    await this.#database.run(sql, { id, day: dayOf(at), at, accountId, tokenId, model, ...counts })
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
    const now = this.#clock.now()
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
      old_hours as (delete from usage_details where hour >= 0 and day < :hoursFrom),
      old_latencies as (delete from usage_latencies where hour >= 0 and day < :hoursFrom)
      select seq from gone`
    return (await this.#database.all(sql, { batch, rollUpLock, since: budgetStarts(now).minute, hoursFrom: firstHourDay(now) })).length
  }

  async summarize(query: { readonly accountId: string | null; readonly from: string; readonly to: string }): Promise<readonly UsageDay[]> {
    const chosen = `day between :from and :to ${query.accountId === null ? '' : 'and account_id = :accountId'}`
    const counts = ['requests', ...sums]
    const sql = `select day, account_id, model, ${counts.map((name) => `sum(${name})::bigint as ${name}`).join(', ')} from (
        select day, account_id, model, ${counts.join(', ')} from usage_days where ${chosen}
        union all
        select day, account_id, model, 1, ${sums.join(', ')} from usage_entries where ${chosen}) as both_kinds
      group by day, account_id, model order by day, account_id, model`
    return (await this.#database.all(sql, { ...query }, { repeatable: true })).map(readUsageDay)
  }

  async report({ by, ...query }: UsageQuestion): Promise<readonly UsageSum[]> {
    const fine = by.includes('token') || by.includes('hour')
    const span = by.includes('hour') ? 'hour >= 0' : 'hour = -1'
    const chosen = `day between :from and :to ${query.accountId === null ? '' : 'and account_id = :accountId'}`
    const keys = "account_id, coalesce(token_id, '') as token_id, model, day"
    const known = fine ? `usage_details where ${span} and` : 'usage_days where'
    const counts = ['requests', ...sums]
    const columns = by.map((dimension) => dimensionColumns[dimension])
    const grouped = columns.length === 0 ? 'having count(*) > 0' : `group by ${columns.join(', ')} order by ${columns.join(', ')}`
    const named = "*, day || 'T' || lpad(hour::text, 2, '0') as hour_name"
    const summed = `select ${[...columns, ...counts.map((name) => `sum(${name})::bigint as ${name}`)].join(', ')} from (select ${named} from (
        select account_id, ${fine ? 'token_id' : "'' as token_id"}, model, day, ${fine ? 'hour' : '-1 as hour'}, ${counts.join(', ')} from ${known} ${chosen}
        union all select ${keys}, ${entryHour}, 1, ${sums.join(', ')} from usage_entries where ${chosen}) as each) as named ${grouped}`
    const slow = `select ${[...columns, 'what', 'bucket', 'sum(count)::bigint as count'].join(', ')} from (select ${named} from (
        select account_id, token_id, model, day, hour, what, bucket, count from usage_latencies where ${span} and ${chosen}
        union all select ${keys}, ${entryHour}, 0, whole_bucket, 1 from usage_entries where whole_bucket is not null and ${chosen}
        union all select ${keys}, ${entryHour}, 1, first_bucket, 1 from usage_entries where first_bucket is not null and ${chosen}) as each) as named
      group by ${[...columns, 'what', 'bucket'].join(', ')}`
    const options = { repeatable: true }
    return readUsageSums(by, await this.#database.all(summed, { ...query }, options), await this.#database.all(slow, { ...query }, options))
  }
}

const isSameEntry = `account_id = :accountId and day = :day and at = :at and token_id is not distinct from :tokenId and model = :model
  and prompt_tokens = :promptTokens and completion_tokens = :completionTokens and images = :images and cost = :cost`

/** The UTC hour of an entry. */
const entryHour = `(extract(hour from to_timestamp(at / 1000) at time zone 'UTC'))::smallint`

/** Lets one node roll up at a time. */
const rollUpLock = 7_335_742_003

/** The UTC day of a time, in the format of usage entries. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
