import { mayRetry } from '../../../core/attempt-policy.ts'
import { workerLost } from '../../../core/inference-failure.ts'
import type { AttemptFailure, Booking, Hold, ReleaseAnswer } from '../../../core/ports/inference-queue.ts'
import { readInteger, readText } from '../../rows/row.ts'
import type { Connection } from '../connection.ts'
import { complete, countAttempt, release } from './hold.ts'

/** Counts a failed attempt and either puts the inference back or completes it with the failure. */
export function retry(
  connection: Connection,
  { id, attempt, failure, usage }: Hold & Booking & { readonly failure: AttemptFailure },
  now: number,
): ReleaseAnswer | 'failed' {
  const tally = countAttempt(connection, { id, attempt, deadly: failure.deadly })
  if (tally !== null && (tally.cancelRequested || mayRetry(tally)))
    return release(connection, { id, attempt, delayMs: failure.delayMs, usage }, now)
  const completion = { outcome: 'failed', error: failure.error } as const
  return complete(connection, { id, attempt, completion, usage }, now) === 'lost' ? 'lost' : 'failed'
}

/** Moves on every running inference whose lease ended before `leaseEnd`, but for those spared; its worker is taken for dead. */
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
