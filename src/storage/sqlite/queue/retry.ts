import { mayRetry } from '../../../core/attempt-policy.ts'
import { cancelled, lostWorkers } from '../../../core/inference-failure.ts'
import type { AttemptFailure } from '../../../core/ports/inference-queue.ts'
import type { Connection } from '../connection.ts'
import { readInteger, readText } from '../row.ts'
import { complete, countAttempt, type Hold, release } from './hold.ts'

/** Counts a failed attempt and either puts the inference back or completes it with the failure. */
export function retry(
  connection: Connection,
  { id, attempt, failure }: Hold & { readonly failure: AttemptFailure },
  now: number,
): 'requeued' | 'failed' | 'not-held' {
  const tally = countAttempt(connection, { id, attempt, lost: failure.lost })
  if (tally === null) return 'not-held'
  if (mayRetry(tally)) {
    release(connection, { id, attempt, delayMs: failure.delayMs }, now)
    return 'requeued'
  }
  complete(connection, { id, attempt, completion: { outcome: 'failed', error: failure.error } }, now)
  return 'failed'
}

/** Moves on every running inference whose lease ended before `leaseEnd`; its worker is taken for dead. */
export function reclaim(
  connection: Connection,
  { leaseEnd }: { readonly leaseEnd: number },
  now: number,
): { readonly requeued: number; readonly failed: number } {
  const rows = connection.all(
    "select id, attempt, cancel_requested from inferences where status = 'running' and lease_until <= :leaseEnd",
    {
      leaseEnd,
    },
  )
  let requeued = 0
  for (const row of rows) {
    const hold = { id: readText(row, 'id'), attempt: readInteger(row, 'attempt') }
    if (readInteger(row, 'cancel_requested') === 1)
      complete(connection, { ...hold, completion: { outcome: 'cancelled', error: cancelled } }, now)
    else if (retry(connection, { ...hold, failure: workerLost }, now) === 'requeued') requeued += 1
  }
  return { requeued, failed: rows.length - requeued }
}

const workerLost: AttemptFailure = { lost: true, error: lostWorkers, delayMs: 0 }
