import { outputRetentionMs } from '../../../core/inference.ts'
import type { Booking, Completion, CompletionAnswer } from '../../../core/ports/inference-queue.ts'
import { type Row, readBytes, readInteger } from '../../rows/row.ts'
import { countOutcome, dayOf, latencyBuckets } from '../../rows/usage-row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import { referenceFormat } from '../../work-format.ts'
import { groupColumns } from '../grouping.ts'

/** The completion of one inference. */
export interface End extends Booking {
  readonly id: string
  /** The required running attempt; null = it must be pending. */
  readonly attempt: number | null
  readonly completion: Completion
}

/**
 * Completes inferences in one commit: they leave the queue if they are still held, and only then are the record, output, usage, webhook and
 * reservation written.
 */
const sql = `with input as (
    select * from unnest(:ids::uuid[], :attempts::integer[], :outcomes::text[], :errors::text[], :keys::text[], :types::text[], :bytes::bigint[],
      :hashes::text[], :images::text[], :usageDays::text[], :usageMoments::bigint[], :usageAccounts::text[], :usageTokens::text[], :usageModels::text[],
      :promptTokens::bigint[], :completionTokens::bigint[], :usageImages::bigint[], :usageCosts::bigint[], :wholes::smallint[],
      :firsts::smallint[], :refusals::bigint[]) with ordinality
      as ended (id, held_attempt, outcome, error, output_key, content_type, output_bytes, output_sha256, output_images, usage_day, usage_at, usage_account,
        usage_token, usage_model, prompt_tokens, completion_tokens, usage_images, usage_cost, whole_bucket, first_bucket, refusals, n)),
  gone as (
    delete from queue using input where queue.id = input.id
      and case when input.held_attempt is null then not queue.running else queue.running and queue.attempt = input.held_attempt end
    returning case when queue.work_format = ${referenceFormat} then queue.body end as reference, queue.account_id, queue.attempt, queue.started_at, queue.webhook_url, queue.traceparent,
      input.*),
  recorded as (
    update inferences as record set attempt = gone.attempt, outcome = gone.outcome, error = gone.error, output_key = gone.output_key,
      content_type = gone.content_type, output_bytes = gone.output_bytes, output_sha256 = gone.output_sha256, output_images = gone.output_images,
      started_at = gone.started_at, completed_at = :now, expires_at = :expiresAt
    from gone where record.id = gone.id),
  kept as (
    insert into stored_outputs (id, account_id, output_key, bytes, expires_at)
      select id, account_id, output_key, output_bytes, :expiresAt from gone where output_key is not null),
  booked as (
    insert into usage_entries (day, at, account_id, token_id, model, failures, refusals, prompt_tokens, completion_tokens, images, cost, whole_bucket,
        first_bucket)
      select usage_day, usage_at, usage_account, usage_token, usage_model, case outcome when 'failed' then 1 - refusals else 0 end, refusals, prompt_tokens,
        completion_tokens, usage_images, usage_cost, whole_bucket, first_bucket
      from gone where usage_day is not null),
  announced as (
    insert into webhook_deliveries (id, inference_id, account_id, url, traceparent, next_attempt_at, created_at)
      select 'msg_' || replace(gen_random_uuid()::text, '-', ''), id, account_id, webhook_url, traceparent, :now, :now from gone where webhook_url is not null),
  settled as (delete from reservations using gone where reservations.id = gone.id::text)
  select n, reference from gone`

/** Finds inferences completed by the same attempt in the same way: repetitions after a lost answer. */
const mineSql = `select wanted.n from unnest(:ids::uuid[], :attempts::integer[], :outcomes::text[], :hashes::text[]) with ordinality
    as wanted (id, attempt, outcome, output_sha256, n)
  cross join lateral (select 1 from inferences where id = wanted.id and attempt = wanted.attempt and outcome = wanted.outcome
    and output_sha256 is not distinct from wanted.output_sha256) as record`

/**
 * Completes inferences that are still held, all in one commit; returns a result for each.
 *
 * @param onReference Called with each reference that is no longer needed after the commit.
 */
export async function finish(
  statements: Statements,
  ends: readonly End[],
  now: number,
  onReference: (reference: Uint8Array) => void = () => {},
): Promise<readonly CompletionAnswer[]> {
  const rows = await statements.all(sql, { ...columnsOf(ends), now, expiresAt: now + outputRetentionMs }, repeatable)
  for (const row of rows) if (row.reference !== null) onReference(readBytes(row, 'reference'))
  const completed = numbersOf(rows)
  const others = ends.filter((_, index) => !completed.has(index))
  // A separate query, because a concurrent completion is visible only now.
  const mine = numbersOf(others.length === 0 ? [] : await statements.all(mineSql, columnsOf(others), repeatable))
  return ends.map((end, index) => {
    if (completed.has(index)) return 'completed'
    return mine.has(others.indexOf(end)) ? 'already-mine' : 'lost'
  })
}

function numbersOf(rows: readonly Row[]): ReadonlySet<number> {
  return new Set(rows.map((row) => readInteger(row, 'n') - 1))
}

function columnsOf(ends: readonly End[]): Readonly<Record<string, readonly unknown[]>> {
  const outputs = ends.map(({ completion }) => (completion.outcome === 'cancelled' ? null : completion.output))
  return {
    ...groupColumns({
      ids: ends.map(({ id }) => id),
      attempts: ends.map(({ attempt }) => attempt),
      outcomes: ends.map(({ completion }) => completion.outcome),
      errors: ends.map(({ completion }) => (completion.outcome === 'succeeded' ? null : JSON.stringify(completion.error))),
      keys: outputs.map((output) => output?.key),
      types: outputs.map((output) => output?.contentType),
      bytes: outputs.map((output) => output?.bytes),
      hashes: outputs.map((output) => output?.sha256),
      images: outputs.map((output) => (output?.images === undefined ? null : JSON.stringify(output.images))),
    }),
    ...(ends.some(({ usage }) => usage !== null) ? usageColumnsOf(ends.map(({ usage }) => usage)) : noUsage),
  }
}

const noUsage = usageColumnsOf([])

function usageColumnsOf(usages: readonly End['usage'][]): Readonly<Record<string, readonly unknown[]>> {
  return groupColumns({
    usageDays: usages.map((usage) => (usage === null ? null : dayOf(usage.at))),
    usageMoments: usages.map((usage) => usage?.at),
    usageTokens: usages.map((usage) => usage?.tokenId),
    wholes: usages.map((usage) => (usage === null ? null : latencyBuckets(usage).whole)),
    firsts: usages.map((usage) => (usage === null ? null : latencyBuckets(usage).first)),
    refusals: usages.map((usage) => (usage === null ? 0 : countOutcome(usage).refusals)),
    usageCosts: usages.map((usage) => usage?.cost),
    usageAccounts: usages.map((usage) => usage?.accountId),
    usageModels: usages.map((usage) => usage?.model),
    promptTokens: usages.map((usage) => usage?.promptTokens),
    completionTokens: usages.map((usage) => usage?.completionTokens),
    usageImages: usages.map((usage) => usage?.images),
  })
}
