import type { BookingOptions } from '../../core/ports/usage-log.ts'
import type { UsageEntry } from '../../core/usage.ts'
import { readIntegerOrNull } from '../rows/row.ts'
import { entryColumns, entryParameters, summed, sums } from '../rows/usage-row.ts'
import { releaseBudget } from './budget.ts'
import type { Connection } from './connection.ts'

/** Adds a usage entry and releases the reservation of its work; {@link rollUpUsage} sums entries later. */
export function bookUsage(connection: Connection, { id, isReserved = false, ...entry }: UsageEntry & BookingOptions): void {
  if (isReserved && id !== undefined) releaseBudget(connection, { id })
  connection.run(insert, entryParameters(entry, id))
}

const insert = `insert into usage_entries (${entryColumns.names}) values (${entryColumns.parameters}) on conflict do nothing`

/** The UTC hour of an entry. */
export const entryHour = `cast(strftime('%H', at / 1000, 'unixepoch') as integer)`

/** Entries per commit, so that a roll-up does not block submissions for long. */
const batch = 2000

const added = ['requests', ...sums].map((name) => `${name} = ${name} + excluded.${name}`).join(', ')

/**
 * Adds the oldest entries to the sums of their days and hours and deletes them; returns how many. Entries at or after `since` stay, because
 * budgets of a minute count them. Hours of days before `hoursFrom` are deleted.
 */
export function rollUpUsage(connection: Connection, { since, hoursFrom }: { readonly since: number; readonly hoursFrom: string }): number {
  const oldest = `select max(seq) as seq from (select seq from usage_entries where at < :since order by seq limit ${batch})`
  const last = readIntegerOrNull(connection.get(oldest, { since }) ?? {}, 'seq')
  for (const table of ['usage_details', 'usage_latencies'])
    connection.run(`delete from ${table} where hour >= 0 and day < :hoursFrom`, { hoursFrom })
  if (last === null) return 0
  const gone = 'from usage_entries where seq <= :last and at < :since'
  connection.run(
    `insert into usage_days (day, account_id, model, requests, ${sums.join(', ')})
       select day, account_id, model, ${summed} ${gone} group by day, account_id, model
     on conflict do update set ${added}`,
    { last, since },
  )
  for (const each of ['-1', entryHour])
    connection.run(
      `insert into usage_details (day, hour, account_id, token_id, model, requests, ${sums.join(', ')})
         select day, ${each}, account_id, coalesce(token_id, ''), model, ${summed} ${gone} group by day, 2, account_id, 4, model
       on conflict do update set ${added}`,
      { last, since },
    )
  for (const each of ['-1', entryHour])
    for (const [what, bucket] of [
      ['0', 'whole_bucket'],
      ['1', 'first_bucket'],
    ])
      connection.run(
        `insert into usage_latencies (day, hour, account_id, token_id, model, what, bucket, count)
           select day, ${each}, account_id, coalesce(token_id, ''), model, ${what}, ${bucket}, count(*) ${gone} and ${bucket} is not null
           group by day, 2, account_id, 4, model, ${bucket}
         on conflict do update set count = count + excluded.count`,
        { last, since },
      )
  return connection.run(`delete ${gone}`, { last, since })
}
