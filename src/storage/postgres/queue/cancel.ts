import { cancelled } from '../../../core/deferred/inference-id.ts'
import type { Inference } from '../../../core/inference.ts'
import { type Database, limitMs } from '../database.ts'
import type { Finish } from './hold.ts'
import { findRecords } from './inference-log.ts'

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
      if ((await statements.run(sql, { ...target }, { repeatable: true })) === 1) return inference
    } else {
      await finish({ id: inference.id, attempt: null, completion: { outcome: 'cancelled', error: cancelled }, usage: null })
    }
    // It may have been claimed, released or completed meanwhile, so check its state again.
    if (attempt === 20) return inference
  }
}
