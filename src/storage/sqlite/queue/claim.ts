import { cancelled, failedBy, mayRetry, workerLost } from '../../../core/deferred/attempts.ts'
import { type Inference, lowPriorityAgesMs, outputRetentionMs } from '../../../core/inference.ts'
import type { AttemptFailure, Booking, Hold, ReleaseAnswer } from '../../../core/ports/inference-queue.ts'
import { type ClaimedRow, readInference, type WantedWork } from '../../rows/inference-row.ts'
import { readBytes, readInteger, readText } from '../../rows/row.ts'
import type { Connection } from '../connection.ts'
import { complete, countAttempt, release } from './hold.ts'

/** Starts an attempt for each of the next inferences, within the capacity for their models. */
export function claim(connection: Connection, wanted: WantedWork, now: number): readonly ClaimedRow[] {
  const left = new Map(wanted.rooms.map(({ model, room }) => [model, room]))
  const waits = Object.fromEntries(wanted.rooms.map(({ model, waitedMs = 0 }) => [model, waitedMs]))
  const kinds = wanted.rooms.some(({ kind }) => kind !== undefined)
    ? JSON.stringify(Object.fromEntries(wanted.rooms.flatMap(({ model, kind }) => (kind === undefined ? [] : [[model, kind === 'image']]))))
    : null
  const claimed: ClaimedRow[] = []
  while (claimed.length < wanted.limit) {
    const models = [...left].filter(([, room]) => room > 0).map(([model]) => model)
    const next = models.length === 0 ? null : claimOne(connection, { ...wanted, models, kinds, waits: JSON.stringify(waits) }, now)
    if (next === null) return claimed
    claimed.push(next)
    left.set(next.inference.model, (left.get(next.inference.model) ?? 0) - 1)
  }
  return claimed
}

/**
 * Claims the oldest ready inference of the account whose turn it is, higher priorities first; aged low-priority work counts as normal.
 * Entries with a time in the future, after the clock was set back, are due at once.
 */
function claimOne(
  connection: Connection,
  {
    workerId,
    leaseMs,
    models,
    kinds,
    format,
    waits,
  }: WantedWork & {
    readonly models: readonly string[]
    readonly kinds: string | null
    readonly waits: string
  },
  now: number,
): ClaimedRow | null {
  const next = connection.get(
    `select share.model, share.priority, share.account_id, candidate.seq
     from queue_shares as share
     join inferences as candidate on candidate.seq = (
       select seq from inferences
       where status = 'pending' and model = share.model and priority = share.priority and account_id = share.account_id
         and not_before <= :now and work_format <= :format
         and (created_at <= :now - (select value from json_each(:waits) where key = share.model) or created_at > :now)
         and (:kinds is null or (kind = 'image') = coalesce((select value from json_each(:kinds) where key = share.model), kind = 'image'))
       order by seq limit 1)
     where share.pending > 0 and share.model in (select value from json_each(:models))
     order by (share.priority = 1 or candidate.queued_at <= :aged) desc, share.turn, candidate.seq limit 1`,
    { now, format, waits, kinds, models: JSON.stringify(models), aged: now - lowPriorityAgesMs },
  )
  if (next === undefined) return null
  const row = connection.get(
    `update inferences set status = 'running', attempt = attempt + 1, worker_id = :workerId, lease_until = :leaseUntil,
       started_at = :now, step = null, total = null
     where seq = :seq and status = 'pending' returning *`,
    { workerId, leaseUntil: now + leaseMs, now, seq: readInteger(next, 'seq') },
  )
  const work = connection.get('select body from inference_work where seq = :seq', { seq: readInteger(next, 'seq') })
  if (row === undefined || work === undefined) throw new Error('The queue counts an inference that does not exist.')
  connection.run(
    // An account of weight 3 keeps its turn for three claims.
    `update queue_shares set
       turn = case when taken + 1 < weight then turn else 1 + (select max(turn) from queue_shares) end,
       taken = case when taken + 1 < weight then taken + 1 else 0 end
     from (select coalesce((select weight from accounts where id = :accountId), 1) as weight)
     where model = :model and priority = :priority and account_id = :accountId`,
    { model: readText(next, 'model'), priority: readInteger(next, 'priority'), accountId: readText(next, 'account_id') },
  )
  return { inference: readInference(row), body: readBytes(work, 'body'), deadlyAttempts: readInteger(row, 'lost') }
}

/** Counts a failed attempt and requeues the inference, or completes it as failed. */
export function retry(
  connection: Connection,
  { id, attempt, failure, usage }: Hold & Booking & { readonly failure: AttemptFailure },
  now: number,
): ReleaseAnswer | 'failed' {
  const tally = countAttempt(connection, { id, attempt, deadly: failure.deadly })
  if (tally !== null && (tally.cancelRequested || mayRetry(tally)))
    return release(connection, { id, attempt, delayMs: failure.delayMs, usage }, now)
  const completion = failedBy(failure)
  return complete(connection, { id, attempt, completion, usage }, now) === 'lost' ? 'lost' : 'failed'
}

/** Requeues or fails running inferences whose lease expired by `leaseEnd`, except the spared ones; their workers count as dead. */
export function reclaim(
  connection: Connection,
  { leaseEnd, spared }: { readonly leaseEnd: number; readonly spared: readonly Hold[] },
  now: number,
): { readonly requeued: number; readonly failed: number } {
  const rows = connection.all(
    `select id, attempt from inferences where status = 'running' and lease_until <= :leaseEnd
       and not exists (select 1 from json_each(:spared) where value ->> 'id' = inferences.id and value ->> 'attempt' = inferences.attempt)`,
    { leaseEnd, spared: JSON.stringify(spared) },
  )
  const answers = rows.map((row) =>
    retry(connection, { id: readText(row, 'id'), attempt: readInteger(row, 'attempt'), failure: workerLost, usage: null }, now),
  )
  const requeued = answers.filter((answer) => answer === 'requeued').length
  return { requeued, failed: rows.length - requeued }
}

/** Cancels an inference: completes a pending one, asks the worker of a running one, ignores a completed one. */
export function cancel(connection: Connection, target: { readonly id: string; readonly accountId: string }, now: number): Inference | null {
  connection.run(
    `update inferences set status = 'completed', outcome = 'cancelled', error = :error, completed_at = :now, expires_at = :expiresAt
     where id = :id and account_id = :accountId and status = 'pending'`,
    { ...target, error: JSON.stringify(cancelled), now, expiresAt: now + outputRetentionMs },
  )
  connection.run("update inferences set cancel_requested = 1 where id = :id and account_id = :accountId and status = 'running'", target)
  const row = connection.get('select * from inferences where id = :id and account_id = :accountId', target)
  return row === undefined ? null : readInference(row)
}
