import { outputRetentionMs } from '../../../core/inference.ts'
import { writePriority } from '../../rows/inference-row.ts'
import { readText } from '../../rows/row.ts'
import type { Statements } from '../database.ts'
import type { EncodedSubmission } from './encoded-submission.ts'
import { groupColumns } from './group-columns.ts'

/**
 * The whole group in one statement. The tag makes accounts take turns: nobody's work goes before what waits the longest, and an
 * account's next stands one turn behind its last; an account of weight 3 has three in a turn. What has its id already, or whose key somebody else has, stays out.
 *
 * Membership is asked for inside `coalesce`, where PostgreSQL looks it up in a hash instead of joining.
 */
const sql = `with input as (
    select * from unnest(:ids::uuid[], :accounts::text[], :kinds::text[], :models::text[], :priorities::smallint[], :formats::smallint[],
      :bodies::bytea[], :storedBytes::bigint[], :keys::text[], :fingerprints::text[], :webhooks::text[], :traces::text[]) with ordinality
      as submission (id, account_id, kind, model, priority, work_format, body, stored_bytes, key, fingerprint, webhook_url, traceparent, n)),
  keyed as (
    insert into idempotency_keys as known (account_id, key, id, fingerprint, webhook_url, created_at)
      select account_id, key, id, fingerprint, webhook_url, :now from input where key is not null order by account_id, key
    on conflict (account_id, key) do update set id = excluded.id, fingerprint = excluded.fingerprint, webhook_url = excluded.webhook_url,
      created_at = excluded.created_at where known.created_at <= :forgotten
    returning id),
  entering as materialized (
    select nextval('inference_numbers') as seq, allowed.* from (
      select * from input where (key is null or coalesce(id in (select id from keyed), false))
        and not exists (select 1 from accounts where id = input.account_id and disabled_at is not null)
      order by n) as allowed),
  recorded as (
    insert into inferences (id, seq, account_id, kind, model, priority, created_at)
      select id, seq, account_id, kind, model, priority, :now from entering on conflict (id) do nothing returning id),
  turns as (
    select model, priority, account_id, greatest(
      coalesce((select min(tag) from queue where model = waiting.model and priority = waiting.priority and not running), 0),
      coalesce(last.tag + case when last.held < weight then 0 else 1 end, 0)) as next,
      -- How many of the turn that it begins in it has already.
      case when last.held < weight then last.held else 0 end as held, weight
    from (select distinct input.model, input.priority, input.account_id, coalesce(account.weight, 1) as weight
        from input left join accounts as account on account.id = input.account_id) as waiting
      left join lateral (select tag, count(*) as held from queue
        where account_id = waiting.account_id and model = waiting.model and priority = waiting.priority and not running
        group by tag order by tag desc limit 1) as last on true),
  queued as (
    insert into queue (id, seq, account_id, kind, model, priority, tag, created_at, webhook_url, traceparent, work_format, stored_bytes, body)
      select id, seq, account_id, kind, model, priority,
        next + (held + row_number() over (partition by model, priority, account_id order by seq) - 1) / weight, :now, webhook_url, traceparent, work_format, stored_bytes, body
      from entering join turns using (model, priority, account_id)
      where coalesce(id in (select id from recorded), false))
  select id from recorded`

/** Inserts what was admitted; returns the ids of what is new. */
export async function insertSubmissions(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (submissions.length === 0) return new Set()
  const column = <Value>(read: (submission: EncodedSubmission) => Value) => submissions.map(read)
  const columns = groupColumns({
    ids: column(({ id }) => id),
    accounts: column(({ accountId }) => accountId),
    kinds: column(({ kind }) => kind),
    models: column(({ model }) => model),
    priorities: column(({ priority }) => writePriority(priority)),
    formats: column(({ format }) => format),
    bodies: column(({ body }) => Buffer.from(body.buffer, body.byteOffset, body.byteLength)),
    storedBytes: column(({ workBytes, outputBytes = 0 }) => workBytes + outputBytes),
    keys: column(({ idempotency }) => idempotency?.key ?? null),
    fingerprints: column(({ idempotency }) => idempotency?.fingerprint ?? null),
    webhooks: column(({ webhookUrl }) => webhookUrl),
    traces: column(({ traceparent }) => traceparent),
  })
  const rows = await database.all(sql, { ...columns, now, forgotten: now - outputRetentionMs }, { repeatable: true })
  return new Set(rows.map((row) => readText(row, 'id')))
}
