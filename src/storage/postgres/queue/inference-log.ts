import { type Inference, recordRetentionMs } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../../core/ports/inference-log.ts'
import type { StoredOutput } from '../../../core/ports/output-store.ts'
import { readInference } from '../../rows/inference-row.ts'
import { type Row, readInteger, readText } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import type { Database } from '../database.ts'
import { Grouping } from '../grouping.ts'
import type { QueuePlaces, Turn } from './queue-places.ts'

/** Records of all nodes; concurrent polls share a statement. */
export class PostgresInferenceLog implements InferenceLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #places: QueuePlaces
  readonly #finding: Grouping<{ readonly id: string; readonly accountId: string }, FoundRecord | null>

  constructor(database: Database, { clock, places }: { readonly clock: Clock; readonly places: QueuePlaces }) {
    this.#database = database
    this.#clock = clock
    this.#places = places
    this.#finding = new Grouping((wanted, deadline) => findRecords(database.until(deadline), wanted, clock.now()), { lanes: 2, most: 256 })
  }

  async find(id: string, accountId: string): Promise<Inference | null> {
    const found = await this.#finding.add({ id, accountId })
    if (found?.turn == null) return found?.inference ?? null
    return { ...found.inference, queuePosition: await this.#places.find(found.turn) }
  }

  async list({ accountId, status, limit, after }: Parameters<InferenceLog['list']>[0]): Promise<InferencePage> {
    if (after !== null && !isUuid(after)) return { inferences: [], next: null }
    const before = after === null ? '' : 'and seq < (select seq from inferences where id = :after::uuid and account_id = :accountId)'
    const lives = status === 'pending' || status === 'running'
    const page = lives
      ? `(select id from queue where account_id = :accountId and running = :running ${before} order by seq desc limit :limit) as chosen
         cross join lateral (select * from inferences where id = chosen.id) as record`
      : `(select * from inferences where account_id = :accountId ${status === null ? '' : 'and outcome is not null'} and ${remembered} ${before}
          order by seq desc limit :limit) as record`
    const sql = `select ${recordColumns} from ${page}
      left join lateral (select * from queue where id = record.id and record.outcome is null) as entry on true order by record.seq desc`
    const parameters = { accountId, after, limit: limit + 1, running: status === 'running', forgotten: forgottenBefore(this.#clock.now()) }
    const rows = await this.#database.all(sql, parameters, repeatable)
    const inferences = rows.slice(0, limit).map((row) => readRecord(row).inference)
    return { inferences, next: rows.length > limit ? (inferences.at(-1)?.id ?? null) : null }
  }

  async oldestPending(): Promise<number | null> {
    const row = await this.#database.get('select created_at from queue where not running order by created_at limit 1', {}, repeatable)
    return row === undefined ? null : readInteger(row, 'created_at')
  }

  async findOrphans(outputs: readonly StoredOutput[]): Promise<readonly string[]> {
    const known = outputs.filter(({ inferenceId }) => isUuid(inferenceId))
    const rows = await this.#database.all(
      `select wanted.key from unnest(:keys::text[], :ids::uuid[]) as wanted (key, id) cross join lateral (
         select 1 from inferences where id = wanted.id and (outcome is null or (output_key = wanted.key and expires_at > :now))) as record`,
      { keys: known.map(({ key }) => key), ids: known.map(({ inferenceId }) => inferenceId), now: this.#clock.now() },
      repeatable,
    )
    const wanted = new Set(rows.map((row) => readText(row, 'key')))
    // A key may be listed under several ids; it is an orphan if none of them references it.
    return outputs.filter(({ key, inferenceId }) => !isUuid(inferenceId) || !wanted.has(key)).map(({ key }) => key)
  }
}

/** A record with its queue entry; null if it is not waiting. */
export interface FoundRecord {
  readonly inference: Inference
  readonly turn: Turn | null
}

/** Columns of a record for the row reader: `entry` is its row in the queue, if any. */
const recordColumns = `record.id, record.seq, record.account_id, record.kind, record.model, record.priority, record.outcome, record.error,
  record.output_key, record.content_type, record.output_bytes, record.output_sha256, record.output_images, record.created_at,
  record.completed_at, record.expires_at, entry.tag, entry.step, entry.total,
  case when record.outcome is not null then 'completed' when entry.running then 'running' else 'pending' end as status,
  coalesce(entry.attempt, record.attempt) as attempt, coalesce(entry.started_at, record.started_at) as started_at`

/** Condition for a record within its retention, even if expired ones are not deleted yet. */
const remembered = '(expires_at is null or expires_at > :forgotten)'

/** A lateral join, with which PostgreSQL only opens the partition of the id. */
const sql = `select wanted.n, ${recordColumns}
  from unnest(:ids::uuid[], :accounts::text[]) with ordinality as wanted (id, account_id, n)
  cross join lateral (select * from inferences where id = wanted.id and account_id = wanted.account_id and ${remembered}) as record
  left join lateral (select * from queue where id = record.id and record.outcome is null) as entry on true`

/** Records whose outputs expired before this time are past their retention. */
function forgottenBefore(now: number): number {
  return now - recordRetentionMs
}

/** The records of ids that belong to their accounts, in order; null for missing ones. */
export async function findRecords(
  statements: Statements,
  wanted: readonly { readonly id: string; readonly accountId: string }[],
  now: number,
): Promise<readonly (FoundRecord | null)[]> {
  const found: (FoundRecord | null)[] = wanted.map(() => null)
  const known = wanted.flatMap((each, index) => (isUuid(each.id) ? [{ ...each, index }] : []))
  if (known.length === 0) return found
  const parameters = {
    ids: known.map(({ id }) => id),
    accounts: known.map(({ accountId }) => accountId),
    forgotten: forgottenBefore(now),
  }
  const rows = await statements.all(sql, parameters, repeatable)
  for (const row of rows) {
    const at = known[readInteger(row, 'n') - 1]
    if (at !== undefined) found[at.index] = readRecord(row)
  }
  return found
}

/** Reads a row of {@link recordColumns}. */
function readRecord(row: Row): FoundRecord {
  const inference = readInference(row)
  if (inference.status !== 'pending') return { inference, turn: null }
  const turn = {
    model: inference.model,
    priority: readInteger(row, 'priority'),
    tag: readInteger(row, 'tag'),
    seq: readInteger(row, 'seq'),
  }
  return { inference, turn }
}

/** Whether a text has the form of an inference id. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
