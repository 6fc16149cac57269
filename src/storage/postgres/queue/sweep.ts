import { cancelled, lostWorkers, mayRetry, waitedTooLong } from '../../../core/deferred/attempts.ts'
import { firstIdAt } from '../../../core/deferred/inference-id.ts'
import { lowPriorityAgesMs, outputRetentionMs, recordRetentionMs } from '../../../core/inference.ts'
import { abandonedMs } from '../../../core/ports/budget-ledger.ts'
import type { ExpiryReport, Hold, SweepReport } from '../../../core/ports/inference-queue.ts'
import { type Row, readInteger, readText } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import type { Database } from '../database.ts'
import { aliveHolder } from '../node-registry.ts'
import { type End, finish } from './finish.ts'
import { pendingAgain } from './hold.ts'

/** Rows changed per sweep and task. */
const batch = 1000
/** Lets one node sweep at a time. */
const sweepLock = 7_335_742_005
/** Time after an account was disabled in which its work is swept, for concurrent submissions. */
const disabledMs = 60 * 60 * 1000

/**
 * Handles expired leases and waits; does nothing while another node sweeps.
 *
 * @param limits.mayReclaim Whether expired leases count as lost, given the time at which they were read.
 */
export async function sweep(
  statements: Statements,
  { maxQueueMs, spared, mayReclaim }: { readonly maxQueueMs: number; readonly spared: readonly Hold[]; readonly mayReclaim: () => boolean },
  now: number,
): Promise<SweepReport> {
  const lock = await statements.get('select pg_try_advisory_xact_lock(:sweepLock) as mine', { sweepLock })
  if (lock?.mine !== true) return { requeued: 0, failed: 0 }
  const { requeued, ends } = mayReclaim() ? await reclaim(statements, { spared, mayReclaim }, now) : nothing
  const failed = [...ends, ...(await findOverdue(statements, now - maxQueueMs))]
  await ageLowPriority(statements, now - lowPriorityAgesMs)
  const unwanted = await findUnwanted(statements, now - disabledMs)
  if (failed.length + unwanted.length > 0) await finish(statements, [...failed, ...unwanted], now)
  return { requeued, failed: failed.length }
}

interface Reclaimed {
  readonly requeued: number
  readonly ends: readonly End[]
}

const nothing: Reclaimed = { requeued: 0, ends: [] }

/** Requeues inferences whose worker was lost and that may be retried; fails the others. */
async function reclaim(
  statements: Statements,
  { spared, mayReclaim }: { readonly spared: readonly Hold[]; readonly mayReclaim: () => boolean },
  now: number,
): Promise<Reclaimed> {
  const rows = await statements.all(
    `select id, attempt, lost, failed, cancel_requested from queue where running and lease_until <= :now
       and not exists (select 1 from unnest(:ids::uuid[], :attempts::integer[]) as spared (id, attempt)
         where spared.id = queue.id and spared.attempt = queue.attempt)
     order by lease_until limit :batch for update skip locked`,
    { now, batch, ids: spared.map(({ id }) => id), attempts: spared.map(({ attempt }) => attempt) },
  )
  if (!mayReclaim()) return nothing
  const mayRunAgain = (row: Row) =>
    row.cancel_requested !== true && mayRetry({ deadly: readInteger(row, 'lost'), failed: readInteger(row, 'failed') + 1 })
  const ids = rows.filter(mayRunAgain).map((row) => readText(row, 'id'))
  if (ids.length > 0)
    await statements.run(
      `update queue set ${pendingAgain}, failed = failed + 1, not_before = 0 where id = any (:ids::uuid[]) and running`,
      { ids },
    )
  const ends = rows
    .filter((row) => !mayRunAgain(row))
    .map((row) => ({
      id: readText(row, 'id'),
      attempt: readInteger(row, 'attempt'),
      completion:
        row.cancel_requested === true
          ? ({ outcome: 'cancelled', error: cancelled } as const)
          : ({ outcome: 'failed', error: lostWorkers } as const),
      usage: null,
    }))
  return { requeued: ids.length, ends }
}

/** Promotes low-priority entries that have waited long enough to normal, ahead of all later ones. */
async function ageLowPriority(statements: Statements, queuedBefore: number): Promise<void> {
  const sql = `update queue as aged set priority = 1, tag = coalesce(
      (select min(tag) from queue as normal where normal.model = aged.model and normal.priority = 1 and not normal.running), 0)
    where id in (select id from queue where priority = 0 and not running and created_at <= :queuedBefore order by created_at limit :batch
      for update skip locked)`
  await statements.run(sql, { queuedBefore, batch })
}

async function findOverdue(statements: Statements, submittedBefore: number): Promise<readonly End[]> {
  const sql =
    'select id from queue where not running and created_at <= :submittedBefore order by created_at limit :batch for update skip locked'
  const rows = await statements.all(sql, { submittedBefore, batch })
  return rows.map((row) => ({
    id: readText(row, 'id'),
    attempt: null,
    completion: { outcome: 'failed', error: waitedTooLong },
    usage: null,
  }))
}

async function findUnwanted(statements: Statements, disabledAfter: number): Promise<readonly End[]> {
  const sql = `select queue.id from accounts join queue on queue.account_id = accounts.id and not queue.running
    where accounts.disabled_at >= :disabledAfter limit :batch for update of queue skip locked`
  return (await statements.all(sql, { disabledAfter, batch })).map((row) => endUnwanted(readText(row, 'id')))
}

/** Ends all waiting work of an account, a thousand rows at a time. */
export async function endWaiting(statements: Statements, accountId: string, now: number): Promise<void> {
  for (;;) {
    const sql = 'select id from queue where account_id = :accountId and not running limit :batch'
    const rows = await statements.all(sql, { accountId, batch })
    if (rows.length === 0) return
    await finish(
      statements,
      rows.map((row) => endUnwanted(readText(row, 'id'))),
      now,
    )
  }
}

function endUnwanted(id: string): End {
  return { id, attempt: null, completion: { outcome: 'cancelled', error: cancelled }, usage: null }
}

/** Takes outputs past their retention, and deletes other expired rows. */
export async function expire(database: Database, now: number): Promise<ExpiryReport> {
  const outputs = await database.all(
    `delete from stored_outputs where id = any (array(
       select id from stored_outputs where expires_at <= :now order by expires_at limit :batch for update skip locked)) returning output_key`,
    { now, batch },
  )
  await database.run('delete from sessions where expires_at <= :now', { now })
  await database.run('delete from invitations where expires_at <= :now', { now })
  await deleteSome(database, 'idempotency_keys', 'ctid', 'created_at <= :before', now - outputRetentionMs)
  await deleteSome(
    database,
    'webhook_deliveries',
    'ctid',
    `created_at <= :before and state <> 'waiting'`,
    now - outputRetentionMs - recordRetentionMs,
  )
  // Records with a day in their id are dropped with that day's partition.
  const deletedRecords = await deleteSome(database, 'inferences_other', 'ctid', 'expires_at <= :before', now - recordRetentionMs)
  await forgetAbsent(database, now)
  return { outputs: outputs.map((row) => readText(row, 'output_key')), deletedRecords }
}

function deleteSome(database: Database, table: string, key: string, condition: string, before: number): Promise<number> {
  const sql = `delete from ${table} where ${key} = any (array(select ${key} from ${table} where ${condition} limit :batch for update skip locked))`
  return database.run(sql, { before, batch }, repeatable)
}

/** Deletes reservations and places of processes that have ended, and reservations of failed submissions; those of queued work stay. */
async function forgetAbsent(database: Database, now: number): Promise<void> {
  const work = `case when reservations.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then reservations.id::uuid end`
  // A cancelled request may have reserved after its completion: its reservation waited for the lock of the account.
  await database.run(
    `delete from reservations where exists (select 1 from inferences where id = ${work} and outcome is not null)
     or ((not ${aliveHolder('reservations.holder')} or (not running and reservations.id < :before))
       and not exists (select 1 from queue where id = ${work}))`,
    { before: firstIdAt(now - abandonedMs) },
    repeatable,
  )
  await database.run(`delete from kept_places where not ${aliveHolder('kept_places.holder')}`, {}, repeatable)
  await database.run('delete from request_minutes where minute < :minute', { minute: Math.floor(now / 60_000) - 60 }, repeatable)
  await database.run(`delete from holders where seen_at < clock_timestamp() - interval '1 day'`, {}, repeatable)
}
