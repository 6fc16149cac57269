import { budgetStarts } from '../../core/limits/budget.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import { firstHourDay, type UsageDay, type UsageEntry, type UsageQuestion, type UsageSum } from '../../core/usage.ts'
import { dimensionColumns, readUsageDay, readUsageSums } from '../rows/usage-row.ts'
import { SqliteTables } from './sqlite-tables.ts'

type Options = { readonly signal: AbortSignal }

/** Sums per UTC day, account and model, and the entries since the last roll-up, which bounds its size. */
export class SqliteUsageLog extends SqliteTables implements UsageLog {
  async append(entry: UsageEntry, { id, again }: Options & { readonly id?: string; readonly again?: boolean }): Promise<void> {
    // A reservation reduces the account's budget until its entry is written; without one, the write can wait a moment.
    const held = id === undefined ? undefined : this.reader.get('select 1 from reservations where id = :id', { id })
    await this.writer.run('bookUsage', { ...entry, id, again }, this.clock.now(), { mayWait: held === undefined })
  }

  async rollUp(): Promise<number> {
    const now = this.clock.now()
    return this.writer.run('rollUpUsage', { since: budgetStarts(now).minute, hoursFrom: firstHourDay(now) }, now)
  }

  async summarize(query: { readonly accountId: string | null; readonly from: string; readonly to: string }): Promise<readonly UsageDay[]> {
    const chosen = 'day between :from and :to and (:accountId is null or account_id = :accountId)'
    const columns = ['requests', 'failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
    const sums = columns.map((name) => `sum(${name}) as ${name}`)
    const sql = `select day, account_id, model, ${sums.join(', ')} from (
        select day, account_id, model, ${columns.join(', ')} from usage_days where ${chosen}
        union all select day, account_id, model, 1, failures, refusals, prompt_tokens, completion_tokens, images, cost from usage_entries where ${chosen})
      group by day, account_id, model order by day, account_id, model`
    return this.reader.all(sql, { ...query }).map(readUsageDay)
  }

  async report({ by, ...query }: UsageQuestion): Promise<readonly UsageSum[]> {
    const fine = by.includes('token') || by.includes('hour')
    const span = by.includes('hour') ? 'hour >= 0' : 'hour = -1'
    const chosen = 'day between :from and :to and (:accountId is null or account_id = :accountId)'
    const entryHour = "cast(strftime('%H', at / 1000, 'unixepoch') as integer)"
    const keys = "account_id, coalesce(token_id, '') as token_id, model, day"
    const known = fine ? `usage_details where ${span} and` : 'usage_days where'
    const counts = ['requests', 'failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
    const columns = by.map((dimension) => dimensionColumns[dimension])
    const grouped = columns.length === 0 ? 'having count(*) > 0' : `group by ${columns.join(', ')} order by ${columns.join(', ')}`
    const named = "*, day || 'T' || printf('%02d', hour) as hour_name"
    const sums = this.reader.all(
      `select ${[...columns, ...counts.map((name) => `sum(${name}) as ${name}`)].join(', ')} from (select ${named} from (
         select account_id, ${fine ? 'token_id' : "'' as token_id"}, model, day, ${fine ? 'hour' : '-1 as hour'}, ${counts.join(', ')} from ${known} ${chosen}
         union all select ${keys}, ${entryHour}, 1, failures, refusals, prompt_tokens, completion_tokens, images, cost from usage_entries where ${chosen})) ${grouped}`,
      { ...query },
    )
    const latencies = this.reader.all(
      `select ${[...columns, 'what', 'bucket', 'sum(count) as count'].join(', ')} from (select ${named} from (
         select account_id, token_id, model, day, hour, what, bucket, count from usage_latencies where ${span} and ${chosen}
         union all select ${keys}, ${entryHour}, 0, whole_bucket, 1 from usage_entries where whole_bucket is not null and ${chosen}
         union all select ${keys}, ${entryHour}, 1, first_bucket, 1 from usage_entries where first_bucket is not null and ${chosen}))
       group by ${[...columns, 'what', 'bucket'].join(', ')}`,
      { ...query },
    )
    return readUsageSums(by, sums, latencies)
  }
}
