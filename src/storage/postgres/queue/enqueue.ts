import { accountDisabled } from '../../../core/account.ts'
import { ServiceError } from '../../../core/error.ts'
import { type Inference, makePendingInference, outputRetentionMs } from '../../../core/inference.ts'
import type { KeyedSubmission, QueueLimits } from '../../../core/ports/inference-queue.ts'
import { idempotencyConflict } from '../../refuse-submission.ts'
import { writePriority } from '../../rows/inference-row.ts'
import { readText, readTextOrNull } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import { databaseUnavailable } from '../database-fault.ts'
import { groupColumns } from '../grouping.ts'
import { findRecords } from './inference-log.ts'
import { admit, type EncodedSubmission, readRoom } from './queue-places.ts'

/** Result of a submission. */
export type Enqueued = { readonly inference: Inference; readonly repeated: boolean } | ServiceError

/** Maximum rounds for submissions whose keys keep colliding. */
const maxRounds = 10

/** Adds a group of inferences in one statement, and finds earlier ones by idempotency key. */
export async function enqueueGroup(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  { limits, now }: { readonly limits: QueueLimits; readonly now: number },
): Promise<readonly Enqueued[]> {
  const results = new Map<EncodedSubmission, Enqueued>()
  for (let round = 0; results.size < submissions.length; round++) {
    if (round === maxRounds) throw databaseUnavailable(new Error('Submissions with the same key kept colliding.'))
    const next = firstOfEachKey(submissions.filter((each) => !results.has(each)))
    for (const [submission, result] of await enqueueOnce(database, next, { limits, now })) results.set(submission, result)
  }
  return submissions.map((each) => results.get(each) ?? databaseUnavailable(new Error('A submission got no answer.')))
}

/** One round; submissions that lost their key to a concurrent one are not in the result. */
async function enqueueOnce(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  { limits, now }: { readonly limits: QueueLimits; readonly now: number },
): Promise<ReadonlyMap<EncodedSubmission, Enqueued>> {
  const [room, { earlier, orphans }] = await Promise.all([readRoom(database, submissions), findAllEarlier(database, submissions, now)])
  const results = new Map<EncodedSubmission, Enqueued>(earlier)
  const admitted: EncodedSubmission[] = []
  for (const submission of submissions.filter((each) => !earlier.has(each))) {
    const refusal = room.disabled.has(submission.accountId) ? accountDisabled() : admit(room, submission, limits)
    if (refusal === null) admitted.push(submission)
    else results.set(submission, refusal)
  }
  const inserted = await insertSubmissions(database, admitted, now, orphans)
  for (const each of admitted) if (inserted.has(each.id)) results.set(each, { inference: makePendingInference(each, now), repeated: false })
  const unsure = admitted.filter(({ id }) => !inserted.has(id))
  // Inferences that exist already were committed by an attempt whose answer was lost.
  const there = await findRecords(database, unsure, now)
  for (const [index, inference] of there.entries()) {
    const submission = unsure[index]
    if (submission !== undefined && inference !== null) results.set(submission, { inference: inference.inference, repeated: false })
  }
  return results
}

/**
 * Finds the inference with the same idempotency key from the last 24 hours.
 *
 * @throws {ServiceError} `idempotency_conflict`.
 */
export async function findEarlier(database: Statements, submission: KeyedSubmission, now: number): Promise<Inference | null> {
  const result = (await findAllEarlier(database, [submission], now)).earlier.get(submission)
  if (result instanceof ServiceError) throw result
  return result?.inference ?? null
}

/**
 * Finds the inferences of several submissions, and ids that belong to a key but to no inference. A key is committed together with its
 * inference and read before it here, so such an inference was never submitted or no longer exists.
 */
async function findAllEarlier<Submission extends KeyedSubmission & { readonly id?: string }>(
  database: Statements,
  submissions: readonly Submission[],
  now: number,
): Promise<{ readonly earlier: ReadonlyMap<Submission, Enqueued>; readonly orphans: readonly string[] }> {
  const keyed = submissions.filter(({ idempotency }) => idempotency !== null)
  if (keyed.length === 0) return { earlier: new Map(), orphans: [] }
  const rows = await database.all(
    `select wanted.n, known.id, known.fingerprint, known.webhook_url from unnest(:accounts::text[], :keys::text[]) with ordinality as wanted (account_id, key, n),
       lateral (select * from idempotency_keys where account_id = wanted.account_id and key = wanted.key and created_at > :since) as known`,
    {
      accounts: keyed.map(({ accountId }) => accountId),
      keys: keyed.map(({ idempotency }) => idempotency?.key),
      since: now - outputRetentionMs,
    },
    repeatable,
  )
  const found = rows.flatMap((row) => {
    const submission = keyed[Number(row.n) - 1]
    return submission === undefined ? [] : [{ submission, row, id: readText(row, 'id') }]
  })
  const records = await findRecords(
    database,
    found.map(({ id, submission: { accountId } }) => ({ id, accountId })),
    now,
  )
  const earlier = new Map<Submission, Enqueued>()
  const orphans: string[] = []
  for (const [index, { submission, row, id }] of found.entries()) {
    const record = records[index]
    const same =
      readText(row, 'fingerprint') === submission.idempotency?.fingerprint && readTextOrNull(row, 'webhook_url') === submission.webhookUrl
    if (!record) orphans.push(id)
    else earlier.set(submission, same ? { inference: record.inference, repeated: id !== submission.id } : idempotencyConflict())
  }
  return { earlier, orphans }
}

function firstOfEachKey(submissions: readonly EncodedSubmission[]): readonly EncodedSubmission[] {
  const seen = new Set<string>()
  return submissions.filter(({ accountId, idempotency }) => {
    if (idempotency === null) return true
    const name = JSON.stringify([accountId, idempotency.key])
    return seen.size < seen.add(name).size
  })
}

/**
 * Inserts the whole group in one statement. The tag makes accounts take turns: it starts at the lowest waiting tag, and each entry of an
 * account is one turn behind its previous one, with `weight` entries per turn. Existing ids and keys are skipped, except keys of orphans.
 *
 * Membership is tested inside `coalesce`, where PostgreSQL uses a hash lookup instead of a join.
 */
const sql = `with input as (
    select * from unnest(:ids::uuid[], :accounts::text[], :kinds::text[], :models::text[], :priorities::smallint[], :formats::smallint[],
      :bodies::bytea[], :storedBytes::bigint[], :keys::text[], :fingerprints::text[], :webhooks::text[], :traces::text[]) with ordinality
      as submission (id, account_id, kind, model, priority, work_format, body, stored_bytes, key, fingerprint, webhook_url, traceparent, n)),
  keyed as (
    insert into idempotency_keys as known (account_id, key, id, fingerprint, webhook_url, created_at)
      select account_id, key, id, fingerprint, webhook_url, :now from input where key is not null order by account_id, key
    on conflict (account_id, key) do update set id = excluded.id, fingerprint = excluded.fingerprint, webhook_url = excluded.webhook_url,
      created_at = excluded.created_at where known.created_at <= :forgotten or known.id = any (:orphans::uuid[])
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

/**
 * Inserts admitted submissions; returns the ids of new ones.
 *
 * @param orphans Ids without an inference, whose keys are free again.
 */
export async function insertSubmissions(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  now: number,
  orphans: readonly string[] = [],
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
  const rows = await database.all(sql, { ...columns, now, forgotten: now - outputRetentionMs, orphans }, repeatable)
  return new Set(rows.map((row) => readText(row, 'id')))
}
