import type { Progress } from '../../../core/inference.ts'
import { outputRetentionMs } from '../../../core/inference.ts'
import type { ClaimState, Completion } from '../../../core/ports/inference-queue.ts'
import type { Connection } from '../connection.ts'
import { readInteger } from '../row.ts'

/** What tells a claim from every earlier and later one of the same inference. */
export interface Hold {
  readonly id: string
  readonly attempt: number
}

/** Extends the lease of a claim that is still held. */
export function renew(
  connection: Connection,
  { id, attempt, leaseMs, progress }: Hold & { readonly leaseMs: number; readonly progress: Progress | null },
  now: number,
): ClaimState {
  const row = connection.get(
    `update inferences set lease_until = :leaseUntil, step = coalesce(:step, step), total = coalesce(:total, total)
     where id = :id and status = 'running' and attempt = :attempt returning cancel_requested`,
    { id, attempt, leaseUntil: now + leaseMs, step: progress?.step ?? null, total: progress?.total ?? null },
  )
  if (row === undefined) return 'lost'
  return readInteger(row, 'cancel_requested') === 1 ? 'cancel-requested' : 'held'
}

/** The one way to complete a running inference: nobody whose claim was lost can. */
export function complete(
  connection: Connection,
  { id, attempt, completion }: Hold & { readonly completion: Completion },
  now: number,
): boolean {
  const output = completion.outcome === 'succeeded' ? completion.output : null
  const changes = connection.run(
    `update inferences set status = 'completed', outcome = :outcome, error = :error, output_key = :key, content_type = :contentType, output_bytes = :bytes,
       output_sha256 = :sha256, completed_at = :now, expires_at = :expiresAt, worker_id = null, lease_until = null
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
      now,
      expiresAt: now + outputRetentionMs,
    },
  )
  return changes === 1
}

/** Puts a claimed inference back without counting the attempt. */
export function release(connection: Connection, { id, attempt, delayMs }: Hold & { readonly delayMs: number }, now: number): boolean {
  const changes = connection.run(
    `update inferences set status = 'pending', worker_id = null, lease_until = null, step = null, total = null, started_at = null,
       queued_at = :now, not_before = :notBefore
     where id = :id and status = 'running' and attempt = :attempt`,
    { id, attempt, now, notBefore: delayMs === 0 ? 0 : now + delayMs },
  )
  return changes === 1
}

/** Counts an attempt that ended without a result. */
export function countAttempt(
  connection: Connection,
  { id, attempt, lost }: Hold & { readonly lost: boolean },
): { readonly lost: number; readonly failed: number } | null {
  const row = connection.get(
    `update inferences set lost = lost + :lost, failed = failed + :failed
     where id = :id and status = 'running' and attempt = :attempt returning lost, failed`,
    { id, attempt, lost: lost ? 1 : 0, failed: lost ? 0 : 1 },
  )
  return row === undefined ? null : { lost: readInteger(row, 'lost'), failed: readInteger(row, 'failed') }
}
