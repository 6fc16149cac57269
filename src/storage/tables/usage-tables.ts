import type { UsageDay, UsageQuestion, UsageSum } from '../../core/usage.ts'
import { dimensionColumns, readUsageDay, readUsageSums, sums } from '../rows/usage-row.ts'
import { repeatable, type Statements, Tables } from './statements.ts'

const counts = ['requests', ...sums]

/** Sums per UTC day, account and model, and the entries since the last roll-up, in either database. */
export abstract class UsageTables<Database extends Statements> extends Tables<Database> {
  /** The UTC hour of an entry. */
  protected abstract readonly entryHour: string
  /** The column `hour` with two digits. */
  protected abstract readonly twoDigits: string

  async summarize(query: { readonly accountId: string | null; readonly from: string; readonly to: string }): Promise<readonly UsageDay[]> {
    const chosen = within(query)
    const sql = `select day, account_id, model, ${counts.map(summed).join(', ')} from (
        select day, account_id, model, ${counts.join(', ')} from usage_days where ${chosen}
        union all
        select day, account_id, model, 1, ${sums.join(', ')} from usage_entries where ${chosen}) as both_kinds
      group by day, account_id, model order by day, account_id, model`
    return (await this.database.all(sql, { ...query }, repeatable)).map(readUsageDay)
  }

  async report({ by, ...query }: UsageQuestion): Promise<readonly UsageSum[]> {
    const fine = by.includes('token') || by.includes('hour')
    const span = by.includes('hour') ? 'hour >= 0' : 'hour = -1'
    const chosen = within(query)
    const keys = "account_id, coalesce(token_id, '') as token_id, model, day"
    const known = fine ? `usage_details where ${span} and` : 'usage_days where'
    const columns = by.map((dimension) => dimensionColumns[dimension])
    const grouped = columns.length === 0 ? 'having count(*) > 0' : `group by ${columns.join(', ')} order by ${columns.join(', ')}`
    const named = `*, day || 'T' || ${this.twoDigits} as hour_name`
    const totals = `select ${[...columns, ...counts.map(summed)].join(', ')} from (select ${named} from (
        select account_id, ${fine ? 'token_id' : "'' as token_id"}, model, day, ${fine ? 'hour' : '-1 as hour'}, ${counts.join(', ')} from ${known} ${chosen}
        union all select ${keys}, ${this.entryHour}, 1, ${sums.join(', ')} from usage_entries where ${chosen}) as parts) as named ${grouped}`
    const latencies = `select ${[...columns, 'what', 'bucket', summed('count')].join(', ')} from (select ${named} from (
        select account_id, token_id, model, day, hour, what, bucket, count from usage_latencies where ${span} and ${chosen}
        union all select ${keys}, ${this.entryHour}, 0, whole_bucket, 1 from usage_entries where whole_bucket is not null and ${chosen}
        union all select ${keys}, ${this.entryHour}, 1, first_bucket, 1 from usage_entries where first_bucket is not null and ${chosen}) as parts) as named
      group by ${[...columns, 'what', 'bucket'].join(', ')}`
    return readUsageSums(
      by,
      await this.database.all(totals, { ...query }, repeatable),
      await this.database.all(latencies, { ...query }, repeatable),
    )
  }
}

function within({ accountId }: { readonly accountId: string | null }): string {
  return `day between :from and :to ${accountId === null ? '' : 'and account_id = :accountId'}`
}

function summed(column: string): string {
  return `cast(sum(${column}) as bigint) as ${column}`
}
