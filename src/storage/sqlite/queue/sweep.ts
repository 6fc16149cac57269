import { waitedTooLong } from '../../../core/deferred/attempts.ts'
import { outputRetentionMs, recordRetentionMs } from '../../../core/inference.ts'
import type { ExpiryReport, Hold, SweepReport } from '../../../core/ports/inference-queue.ts'
import { readTextOrNull } from '../../rows/row.ts'
import { forgetAbandoned } from '../budget.ts'
import type { Connection } from '../connection.ts'
import { reclaim } from './claim.ts'

/** Rows changed per sweep and task, so that a sweep does not block submissions for long. */
const batch = 1000

/** Handles expired leases and waits. */
export function sweep(
  connection: Connection,
  { maxQueueMs, spared }: { readonly maxQueueMs: number; readonly spared: readonly Hold[] },
  now: number,
): SweepReport {
  const { requeued, failed } = reclaim(connection, { leaseEnd: now, spared }, now)
  const timedOut = failOverdue(connection, now - maxQueueMs, now)
  return { requeued, failed: failed + timedOut }
}

/** Marks outputs past their retention, and deletes expired records, sessions and invitations. */
export function expire(connection: Connection, _input: Readonly<Record<string, never>>, now: number): ExpiryReport {
  const expired = connection.all(
    `update inferences set output_deleted = 1 where seq in (
       select seq from inferences where status = 'completed' and expires_at <= :now and output_deleted = 0 limit :batch) returning output_key`,
    { now, batch },
  )
  const deletedRecords = connection.run(
    `delete from inferences where seq in (
       select seq from inferences where status = 'completed' and expires_at <= :before and output_deleted = 1 limit :batch)`,
    { before: now - recordRetentionMs, batch },
  )
  connection.run('delete from sessions where expires_at <= :now', { now })
  connection.run('delete from invitations where expires_at <= :now', { now })
  forgetAbandoned(connection, now)
  return { outputs: expired.flatMap((row) => readTextOrNull(row, 'output_key') ?? []), deletedRecords }
}

function failOverdue(connection: Connection, queuedBefore: number, now: number): number {
  return connection.run(
    `update inferences set status = 'completed', outcome = 'failed', error = :error, completed_at = :now, expires_at = :expiresAt
     where seq in (select seq from inferences where status = 'pending' and queued_at <= :queuedBefore limit :batch)`,
    { error: JSON.stringify(waitedTooLong), now, expiresAt: now + outputRetentionMs, queuedBefore, batch },
  )
}
