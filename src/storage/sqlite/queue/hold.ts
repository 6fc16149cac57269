import { type AttemptTally, cancelled } from '../../../core/deferred/attempts.ts'
import { outputRetentionMs, type Progress } from '../../../core/inference.ts'
import type {
  AttemptFailure,
  Booking,
  Completion,
  CompletionAnswer,
  Hold,
  ReleaseAnswer,
  RenewalReport,
} from '../../../core/ports/inference-queue.ts'
import { readInteger } from '../../rows/row.ts'
import { bookUsage } from '../book-usage.ts'
import type { Connection } from '../connection.ts'

/** Extends the leases of held claims. */
export function renew(
  connection: Connection,
  { holds, leaseMs }: { readonly holds: readonly (Hold & { readonly progress: Progress | null })[]; readonly leaseMs: number },
  now: number,
): RenewalReport {
  const states = holds.map((hold) => ({ hold, state: renewOne(connection, hold, now + leaseMs) }))
  const holdsIn = (state: 'cancel-requested' | 'lost') =>
    states.filter((each) => each.state === state).map(({ hold: { id, attempt } }) => ({ id, attempt }))
  return { cancelRequested: holdsIn('cancel-requested'), lost: holdsIn('lost') }
}

function renewOne(
  connection: Connection,
  { id, attempt, progress }: Hold & { readonly progress: Progress | null },
  leaseUntil: number,
): 'held' | 'cancel-requested' | 'lost' {
  const row = connection.get(
    `update inferences set lease_until = :leaseUntil, step = coalesce(:step, step), total = coalesce(:total, total)
     where id = :id and status = 'running' and attempt = :attempt returning cancel_requested`,
    { id, attempt, leaseUntil, step: progress?.step ?? null, total: progress?.total ?? null },
  )
  if (row === undefined) return 'lost'
  return readInteger(row, 'cancel_requested') === 1 ? 'cancel-requested' : 'held'
}

/** The only way to complete a running inference; requires a claim that is still held. */
export function complete(
  connection: Connection,
  { id, attempt, completion, usage }: Hold & Booking & { readonly completion: Completion },
  now: number,
): CompletionAnswer {
  const output = completion.outcome === 'cancelled' ? null : (completion.output ?? null)
  const changes = connection.run(
    `update inferences set status = 'completed', outcome = :outcome, error = :error, output_key = :key, content_type = :contentType,
       output_bytes = :bytes, output_sha256 = :sha256, output_images = :images, completed_at = :now, expires_at = :expiresAt, worker_id = null, lease_until = null
     where id = :id and status = 'running' and attempt = :attempt`,
    {
      id,
      attempt,
      outcome: completion.outcome,
      error: completion.outcome === 'succeeded' ? null : JSON.stringify(completion.error),
      key: output?.key ?? null,
      contentType: output?.contentType ?? null,
      bytes: output?.bytes ?? null,
      sha256: output?.sha256 ?? null,
      images: output?.images === undefined ? null : JSON.stringify(output.images),
      now,
      expiresAt: now + outputRetentionMs,
    },
  )
  if (changes === 1) {
    if (usage !== null) bookUsage(connection, { ...usage, outcome: completion.outcome })
    return 'completed'
  }
  const mine = connection.get(
    `select 1 from inferences
     where id = :id and status = 'completed' and attempt = :attempt and outcome = :outcome and output_sha256 is :sha256`,
    { id, attempt, outcome: completion.outcome, sha256: output?.sha256 ?? null },
  )
  return mine === undefined ? 'lost' : 'already-mine'
}

/** Requeues a claimed inference without counting the attempt, or completes it as cancelled if requested. */
export function release(
  connection: Connection,
  { id, attempt, delayMs, usage }: Hold & Booking & { readonly delayMs: number },
  now: number,
): ReleaseAnswer {
  const row = connection.get(
    `update inferences set status = 'pending', worker_id = null, lease_until = null, step = null, total = null, started_at = null,
       not_before = :notBefore
     where id = :id and status = 'running' and attempt = :attempt and cancel_requested = 0 returning 1`,
    { id, attempt, notBefore: delayMs === 0 ? 0 : now + delayMs },
  )
  if (row !== undefined) return 'requeued'
  const completion = { outcome: 'cancelled', error: cancelled } as const
  return complete(connection, { id, attempt, completion, usage }, now) === 'lost' ? 'lost' : 'cancelled'
}

/** Ends the delay of released inferences. */
export function hasten(connection: Connection, { ids }: { readonly ids: readonly string[] }): void {
  const sql = `update inferences set not_before = 0 where status = 'pending' and not_before > 0 and id in (select value from json_each(:ids))`
  connection.run(sql, { ids: JSON.stringify(ids) })
}

/** Ends all delays after the clock was set back, which would lengthen them; webhooks keep their intended waits. */
export function endDelays(connection: Connection, { setBackMs }: { readonly setBackMs: number }, now: number): void {
  connection.run(`update inferences set not_before = 0 where status = 'pending' and not_before > :now`, { now })
  connection.run(`update webhook_deliveries set next_attempt_at = next_attempt_at - :setBackMs where state = 'waiting'`, { setBackMs })
}

/** Counts an attempt without a result. */
export function countAttempt(
  connection: Connection,
  { id, attempt, deadly }: Hold & Pick<AttemptFailure, 'deadly'>,
): (AttemptTally & { readonly cancelRequested: boolean }) | null {
  const row = connection.get(
    `update inferences set lost = lost + :deadly, failed = failed + :failed
     where id = :id and status = 'running' and attempt = :attempt returning lost, failed, cancel_requested`,
    { id, attempt, deadly: deadly ? 1 : 0, failed: deadly ? 0 : 1 },
  )
  if (row === undefined) return null
  return {
    deadly: readInteger(row, 'lost'),
    failed: readInteger(row, 'failed'),
    cancelRequested: readInteger(row, 'cancel_requested') === 1,
  }
}
