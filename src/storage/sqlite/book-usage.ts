import type { UsageEntry } from '../../core/usage.ts'
import { readIntegerOrNull } from '../rows/row.ts'
import type { Connection } from './connection.ts'

/** Adds an entry to the books, in the place of the reservation that it settles; {@link rollUpUsage} makes sums of it later. */
export function bookUsage(connection: Connection, { settles, ...entry }: UsageEntry & { readonly settles?: string | undefined }): void {
  if (settles !== undefined) connection.run('delete from reservations where id = :settles', { settles })
  const { accountId, model, promptTokens, completionTokens, images } = entry
  const day = new Date(entry.at).toISOString().slice(0, 10)
  connection.run(
    `insert into usage_entries (day, account_id, model, failures, prompt_tokens, completion_tokens, images)
     values (:day, :accountId, :model, :failures, :promptTokens, :completionTokens, :images)`,
    { day, accountId, model, failures: entry.outcome === 'failed' ? 1 : 0, promptTokens, completionTokens, images },
  )
}

/** Entries per commit, so that no roll-up keeps submissions waiting. */
const batch = 2000

/** Adds the oldest entries to the sums of their days and drops them; returns how many. */
export function rollUpUsage(connection: Connection): number {
  const oldest = connection.get('select max(seq) as seq from (select seq from usage_entries order by seq limit :batch)', { batch })
  const last = readIntegerOrNull(oldest ?? {}, 'seq')
  if (last === null) return 0
  connection.run(
    `insert into usage_days (day, account_id, model, requests, failures, prompt_tokens, completion_tokens, images)
       select day, account_id, model, count(*), sum(failures), sum(prompt_tokens), sum(completion_tokens), sum(images)
       from usage_entries where seq <= :last group by day, account_id, model
     on conflict do update set requests = requests + excluded.requests, failures = failures + excluded.failures,
       prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens,
       images = images + excluded.images`,
    { last },
  )
  return connection.run('delete from usage_entries where seq <= :last', { last })
}
