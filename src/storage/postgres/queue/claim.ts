import { type Inference, makePendingInference } from '../../../core/inference.ts'
import { type ClaimedRow, readSubmitted, type WantedWork } from '../../rows/inference-row.ts'
import { type Row, readBytes, readInteger } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import type { Database } from '../database.ts'

/**
 * Takes the next unlocked inference of each model, then the first of these.
 *
 * Entries with a time in the future, after the clock was set back, are due at once. Ages are compared as a sum to keep the planner from
 * using the index on ages, for which it would read and sort all waiting rows.
 */
const sql = `with candidates as (
    select candidate.* from unnest(:models::text[], :rooms::integer[], :waits::bigint[], :draws::boolean[]) as wanted (model, room, waited, draws) cross join lateral (
      select id, priority, tag, seq from queue
      where not running and model = wanted.model and not_before <= :now and work_format <= :format
        and (created_at + wanted.waited <= :now::bigint or created_at > :now::bigint)
        and (wanted.draws is null or wanted.draws = (kind = 'image'))
      order by priority desc, tag, seq limit least(wanted.room, :limit) for update skip locked) as candidate),
  chosen as (select id from candidates order by priority desc, tag, seq limit :limit)
  update queue set running = true, attempt = attempt + 1, worker_id = :workerId, claim = :claim, lease_until = :leaseUntil,
    started_at = :now, step = null, total = null
  from chosen where queue.id = chosen.id and not queue.running
  returning queue.id, account_id, kind, model, priority, tag, seq, attempt, lost, created_at, body`

/**
 * Starts an attempt for each of the next inferences, within the capacity for their models.
 *
 * @param wanted.claim Identifies this claim, so that it can be undone if its answer is lost.
 */
export async function claim(
  database: Statements,
  wanted: WantedWork & { readonly claim: string },
  now: number,
): Promise<readonly ClaimedRow[]> {
  const { rooms, leaseMs, ...rest } = wanted
  const open = rooms.filter(({ room }) => room > 0)
  if (open.length === 0 || wanted.limit <= 0) return []
  const rows = await database.all(sql, {
    ...rest,
    models: open.map(({ model }) => model),
    rooms: open.map(({ room }) => room),
    waits: open.map(({ waitedMs = 0 }) => waitedMs),
    draws: open.map(({ kind }) => (kind === undefined ? null : kind === 'image')),
    leaseUntil: now + leaseMs,
    now,
  })
  return rows
    .map((row) => ({ row, priority: readInteger(row, 'priority'), tag: readInteger(row, 'tag'), seq: readInteger(row, 'seq') }))
    .sort((a, b) => b.priority - a.priority || a.tag - b.tag || a.seq - b.seq)
    .map(({ row }) => ({ inference: readClaimed(row, now), body: readBytes(row, 'body'), deadlyAttempts: readInteger(row, 'lost') }))
}

/** A newly claimed inference; its fields are known without a query. */
function readClaimed(row: Row, now: number): Inference {
  const pending = makePendingInference(readSubmitted(row), readInteger(row, 'created_at'))
  return { ...pending, status: 'running', attempt: readInteger(row, 'attempt'), startedAt: now }
}

/** Releases inferences of claims whose answers were lost; these attempts do not count. */
export async function returnClaims(database: Database, claims: readonly string[]): Promise<void> {
  const back = 'running = false, worker_id = null, claim = null, lease_until = null, started_at = null'
  await database.run(`update queue set ${back} where running and claim = any (:claims::uuid[])`, { claims }, repeatable)
}
