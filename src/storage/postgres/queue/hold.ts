import { cancelled, failedBy, mayRetry } from '../../../core/deferred/attempts.ts'
import type { Inference, Progress } from '../../../core/inference.ts'
import type { AttemptFailure, Booking, CompletionAnswer, Hold, ReleaseAnswer, RenewalReport } from '../../../core/ports/inference-queue.ts'
import { readInteger } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import { type Database, limitMs } from '../database.ts'
import type { End } from './finish.ts'
import { findRecords } from './inference-log.ts'

/** Completes one inference; many share a commit. */
export type Finish = (end: End) => Promise<CompletionAnswer>

const held = 'id = :id and running and attempt = :attempt'
/** Assignments for a row that becomes pending again. */
export const pendingAgain =
  'running = false, worker_id = null, claim = null, lease_until = null, step = null, total = null, started_at = null'

/** Extends the leases of all held claims in one statement. */
export async function renew(
  database: Database,
  { holds, leaseMs }: { readonly holds: readonly (Hold & { readonly progress: Progress | null })[]; readonly leaseMs: number },
  now: number,
): Promise<RenewalReport> {
  if (holds.length === 0) return { cancelRequested: [], lost: [] }
  const rows = await database.all(
    `update queue set lease_until = :leaseUntil, step = coalesce(hold.step, queue.step), total = coalesce(hold.total, queue.total)
     from unnest(:ids::uuid[], :attempts::integer[], :steps::integer[], :totals::integer[]) with ordinality as hold (id, attempt, step, total, n)
     where queue.id = hold.id and queue.running and queue.attempt = hold.attempt returning hold.n, queue.cancel_requested`,
    {
      ids: holds.map(({ id }) => id),
      attempts: holds.map(({ attempt }) => attempt),
      steps: holds.map(({ progress }) => progress?.step),
      totals: holds.map(({ progress }) => progress?.total),
      leaseUntil: now + leaseMs,
    },
    // A silent connection must not use up the whole lease.
    { repeatable: true, limitMs: Math.max(leaseMs / 3, 500) },
  )
  const states = new Map(rows.map((row) => [readInteger(row, 'n') - 1, row.cancel_requested === true]))
  const holdsWhere = (matches: (index: number) => boolean) =>
    holds.flatMap(({ id, attempt }, index) => (matches(index) ? [{ id, attempt }] : []))
  return { cancelRequested: holdsWhere((index) => states.get(index) === true), lost: holdsWhere((index) => !states.has(index)) }
}

/** Requeues a claimed inference without counting the attempt, or completes it as cancelled if requested. */
export async function release(
  { statements, finish }: { readonly statements: Statements; readonly finish: Finish },
  { id, attempt, delayMs, usage }: Hold & Booking & { readonly delayMs: number },
  now: number,
): Promise<ReleaseAnswer> {
  const sql = `update queue set ${pendingAgain}, not_before = :notBefore where ${held} and not cancel_requested`
  const changes = await statements.run(sql, { id, attempt, notBefore: delayMs === 0 ? 0 : now + delayMs })
  if (changes === 1) return 'requeued'
  const completion = { outcome: 'cancelled', error: cancelled } as const
  return (await finish({ id, attempt, completion, usage })) === 'lost' ? 'lost' : 'cancelled'
}

/** Counts a failed attempt and requeues the inference, or completes it as failed. */
export async function retry(
  deps: { readonly statements: Statements; readonly finish: Finish },
  { id, attempt, failure, usage }: Hold & Booking & { readonly failure: AttemptFailure },
  now: number,
): Promise<ReleaseAnswer | 'failed'> {
  const { statements, finish } = deps
  const row = await statements.get(`select lost, failed, cancel_requested from queue where ${held}`, { id, attempt })
  if (row !== undefined) {
    const tally = {
      deadly: readInteger(row, 'lost') + (failure.deadly ? 1 : 0),
      failed: readInteger(row, 'failed') + (failure.deadly ? 0 : 1),
    }
    if (row.cancel_requested === true) return release(deps, { id, attempt, delayMs: failure.delayMs, usage }, now)
    if (mayRetry(tally)) {
      const sql = `update queue set ${pendingAgain}, lost = :deadly, failed = :failed, not_before = :notBefore where ${held} and not cancel_requested`
      const notBefore = failure.delayMs === 0 ? 0 : now + failure.delayMs
      const changes = await statements.run(sql, { id, attempt, ...tally, notBefore })
      return changes === 1 ? 'requeued' : release(deps, { id, attempt, delayMs: failure.delayMs, usage }, now)
    }
  }
  const completion = failedBy(failure)
  return (await finish({ id, attempt, completion, usage })) === 'lost' ? 'lost' : 'failed'
}

/** Cancels an inference: completes a pending one, asks the worker of a running one, ignores a completed one. */
export async function cancel(
  { database, finish }: { readonly database: Database; readonly finish: Finish },
  target: { readonly id: string; readonly accountId: string },
  now: () => number,
): Promise<Inference | null> {
  const statements = database.until(performance.now() + limitMs)
  for (let attempt = 0; ; attempt++) {
    const [record] = await findRecords(statements, [target], now())
    if (record === undefined || record === null) return null
    const { inference } = record
    if (inference.status === 'completed') return inference
    if (inference.status === 'running') {
      const sql = 'update queue set cancel_requested = true where id = :id and account_id = :accountId and running'
      if ((await statements.run(sql, { ...target }, repeatable)) === 1) return inference
    } else {
      await finish({ id: inference.id, attempt: null, completion: { outcome: 'cancelled', error: cancelled }, usage: null })
    }
    // It may have been claimed, released or completed meanwhile, so check its state again.
    if (attempt === 20) return inference
  }
}
