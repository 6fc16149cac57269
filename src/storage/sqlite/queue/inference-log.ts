import type { Inference, InferenceStatus } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../../core/ports/inference-log.ts'
import type { StoredOutput } from '../../../core/ports/output-store.ts'
import { findQueuePosition } from '../../../core/queue-position.ts'
import type { Connection, Row } from '../connection.ts'
import { readInteger, readText } from '../row.ts'
import { readInference } from './inference-row.ts'

type Options = { readonly signal: AbortSignal }

/** Reads records on the calling thread; each read sees every commit before it. */
export class SqliteInferenceLog implements InferenceLog {
  readonly #reader: Connection
  readonly #clock: Clock

  constructor(reader: Connection, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
  }

  async find(id: string, accountId: string, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    const row = this.#reader.get('select * from inferences where id = :id and account_id = :accountId', { id, accountId })
    if (row === undefined) return null
    return { ...readInference(row), queuePosition: this.#findPosition(row) }
  }

  async list(
    { accountId, status, limit, after }: { accountId: string; status: InferenceStatus | null; limit: number; after: string | null },
    { signal }: Options,
  ): Promise<InferencePage> {
    signal.throwIfAborted()
    const rows = this.#reader.all(
      `select * from inferences where account_id = :accountId and (:status is null or status = :status)
         and (:after is null or seq < (select seq from inferences where id = :after and account_id = :accountId))
       order by seq desc limit :limit`,
      { accountId, status, after, limit: limit + 1 },
    )
    const inferences = rows.slice(0, limit).map(readInference)
    return { inferences, next: rows.length > limit ? (inferences.at(-1)?.id ?? null) : null }
  }

  async findOrphans(outputs: readonly StoredOutput[], { signal }: Options): Promise<readonly string[]> {
    signal.throwIfAborted()
    const rows = this.#reader.all(
      `select value ->> 'key' as key from json_each(:outputs) where not exists (
         select 1 from inferences where id = value ->> 'inferenceId'
           and (status <> 'completed' or (output_key = value ->> 'key' and expires_at > :now)))`,
      { outputs: JSON.stringify(outputs), now: this.#clock.now() },
    )
    return rows.map((row) => readText(row, 'key'))
  }

  #findPosition(row: Row): number | null {
    if (row.status !== 'pending') return null
    const queue = { model: readText(row, 'model'), priority: readInteger(row, 'priority') }
    const accountId = readText(row, 'account_id')
    const before = this.#reader.get(
      `select count(*) as before from inferences
       where status = 'pending' and model = :model and priority = :priority and account_id = :accountId and seq < :seq`,
      { ...queue, accountId, seq: readInteger(row, 'seq') },
    )
    const shares = this.#reader
      .all('select account_id, pending, turn from queue_shares where model = :model and priority = :priority and pending > 0', queue)
      .map((share) => ({
        accountId: readText(share, 'account_id'),
        pending: readInteger(share, 'pending'),
        turn: readInteger(share, 'turn'),
      }))
    const ahead = this.#reader.get(
      'select coalesce(sum(pending), 0) as ahead from queue_shares where model = :model and priority > :priority and pending > 0',
      queue,
    )
    return findQueuePosition({ accountId, before: readInteger(before ?? {}, 'before') }, shares, readInteger(ahead ?? {}, 'ahead'))
  }
}
