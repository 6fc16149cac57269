import type { Inference } from '../../../core/inference.ts'
import type { Connection } from '../connection.ts'
import { readBytes, readInteger, readText } from '../row.ts'
import { readInference } from './inference-row.ts'

export interface ClaimedRow {
  readonly inference: Inference
  readonly body: Uint8Array
  readonly lostAttempts: number
  readonly leaseUntil: number
}

/** Starts an attempt on the oldest ready inference of the account whose turn it is, higher priorities first. */
export function claim(
  connection: Connection,
  wanted: { readonly workerId: string; readonly models: readonly string[]; readonly leaseMs: number },
  now: number,
): ClaimedRow | null {
  const next = connection.get(
    `select share.model, share.priority, share.account_id, candidate.seq
     from queue_shares as share
     join inferences as candidate on candidate.seq = (
       select seq from inferences
       where status = 'pending' and model = share.model and priority = share.priority and account_id = share.account_id and not_before <= :now
       order by seq limit 1)
     where share.pending > 0 and share.model in (select value from json_each(:models))
     order by share.priority desc, share.turn, candidate.seq limit 1`,
    { now, models: JSON.stringify(wanted.models) },
  )
  if (next === undefined) return null
  const leaseUntil = now + wanted.leaseMs
  const row = connection.get(
    `update inferences set status = 'running', attempt = attempt + 1, worker_id = :workerId, lease_until = :leaseUntil,
       started_at = :now, step = null, total = null
     where seq = :seq and status = 'pending' returning *`,
    { workerId: wanted.workerId, leaseUntil, now, seq: readInteger(next, 'seq') },
  )
  const work = connection.get('select body from inference_work where seq = :seq', { seq: readInteger(next, 'seq') })
  if (row === undefined || work === undefined) throw new Error('The queue counts an inference that is not there.')
  connection.run(
    `update queue_shares set turn = 1 + (select max(turn) from queue_shares)
     where model = :model and priority = :priority and account_id = :accountId`,
    { model: readText(next, 'model'), priority: readInteger(next, 'priority'), accountId: readText(next, 'account_id') },
  )
  return { inference: readInference(row), body: readBytes(work, 'body'), lostAttempts: readInteger(row, 'lost'), leaseUntil }
}
