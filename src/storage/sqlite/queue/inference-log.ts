import type { Inference } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../../core/ports/inference-log.ts'
import type { StoredOutput } from '../../../core/ports/output-store.ts'
import { readInference } from '../../rows/inference-row.ts'
import { type Row, readInteger, readText } from '../../rows/row.ts'
import type { Connection } from '../connection.ts'
import { QueuePlaces } from './queue-places.ts'

/** Columns needed for a record and its position; each additional one slows polls. */
const columns = [
  ...['seq', 'id', 'account_id', 'kind', 'model', 'priority', 'status', 'outcome', 'error', 'attempt', 'step', 'total'],
  ...['content_type', 'output_bytes', 'output_sha256', 'output_key', 'output_images'],
  ...['created_at', 'started_at', 'completed_at', 'expires_at'],
].join(', ')
const findOne = `select ${columns} from inferences where id = ? and account_id = ?`

/** Builds the row of these columns. Written out, this takes a tenth of the time of a loop over names. */
function rowOf(values: readonly unknown[]): Row {
  const [seq, id, account_id, kind, model, priority, status, outcome, error, attempt, step, total, ...more] = values
  const [content_type, output_bytes, output_sha256, output_key, output_images, created_at, started_at, completed_at, expires_at] = more
  return {
    seq,
    id,
    account_id,
    kind,
    model,
    priority,
    status,
    outcome,
    error,
    attempt,
    step,
    total,
    content_type,
    output_bytes,
    output_sha256,
    output_key,
    output_images,
    created_at,
    started_at,
    completed_at,
    expires_at,
  }
}

/** Reads records on the calling thread; each read sees all earlier commits. */
export class SqliteInferenceLog implements InferenceLog {
  readonly #reader: Connection
  readonly #clock: Clock
  readonly #places: QueuePlaces

  constructor(reader: Connection, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
    this.#places = new QueuePlaces(reader)
  }

  async find(id: string, accountId: string): Promise<Inference | null> {
    const values = this.#reader.list(findOne, [id, accountId])
    if (values === undefined) return null
    const row = rowOf(values)
    return { ...readInference(row), queuePosition: this.#places.find(row) }
  }

  async list({ accountId, status, limit, after }: Parameters<InferenceLog['list']>[0]): Promise<InferencePage> {
    const before = after === null ? '' : 'and seq < (select seq from inferences where id = :after and account_id = :accountId)'
    const sql = `select ${columns} from inferences where account_id = :accountId ${status === null ? '' : 'and status = :status'} ${before}
      order by seq desc limit :limit`
    const rows = this.#reader.all(sql, { accountId, status, after, limit: limit + 1 })
    const inferences = rows.slice(0, limit).map(readInference)
    return { inferences, next: rows.length > limit ? (inferences.at(-1)?.id ?? null) : null }
  }

  async oldestPending(): Promise<number | null> {
    const row = this.#reader.get(`select queued_at from inferences where status = 'pending' order by queued_at limit 1`)
    return row === undefined ? null : readInteger(row, 'queued_at')
  }

  async findOrphans(outputs: readonly StoredOutput[]): Promise<readonly string[]> {
    const rows = this.#reader.all(
      `select value ->> 'key' as key from json_each(:outputs) where not exists (
         select 1 from inferences where id = value ->> 'inferenceId'
           and (status <> 'completed' or (output_key = value ->> 'key' and expires_at > :now)))`,
      { outputs: JSON.stringify(outputs), now: this.#clock.now() },
    )
    return rows.map((row) => readText(row, 'key'))
  }
}
