import { type Inference, outputRetentionMs } from '../../../core/inference.ts'
import { cancelled } from '../../../core/inference-failure.ts'
import { readInference } from '../../rows/inference-row.ts'
import type { Connection } from '../connection.ts'

/** Completes a pending inference as cancelled, asks the worker of a running one, leaves a completed one. */
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
