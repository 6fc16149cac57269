import type { Inference, InferenceStatus } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../../core/ports/inference-log.ts'
import type { StoredOutput } from '../../../core/ports/output-store.ts'
import { readInteger, readText } from '../../rows/row.ts'
import type { Database } from '../database.ts'
import { Grouping } from '../grouping.ts'
import { type FoundRecord, findRecords, forgottenBefore, isUuid, readRecord, recordColumns, remembered } from './find-records.ts'
import type { QueuePlaces } from './queue-places.ts'

type Options = { readonly signal: AbortSignal }

/** Records of all nodes; polls that come together are one statement. */
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

  async find(id: string, accountId: string, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    const found = await this.#finding.add({ id, accountId })
    if (found?.turn == null) return found?.inference ?? null
    return { ...found.inference, queuePosition: await this.#places.find(found.turn) }
  }

  async list(
    { accountId, status, limit, after }: { accountId: string; status: InferenceStatus | null; limit: number; after: string | null },
    { signal }: Options,
  ): Promise<InferencePage> {
    signal.throwIfAborted()
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
    const rows = await this.#database.all(sql, parameters, { repeatable: true })
    const inferences = rows.slice(0, limit).map((row) => readRecord(row).inference)
    return { inferences, next: rows.length > limit ? (inferences.at(-1)?.id ?? null) : null }
  }

  async oldestPending({ signal }: Options): Promise<number | null> {
    signal.throwIfAborted()
    const row = await this.#database.get(
      'select created_at from queue where not running order by created_at limit 1',
      {},
      { repeatable: true },
    )
    return row === undefined ? null : readInteger(row, 'created_at')
  }

  async findOrphans(outputs: readonly StoredOutput[], { signal }: Options): Promise<readonly string[]> {
    signal.throwIfAborted()
    const known = outputs.filter(({ inferenceId }) => isUuid(inferenceId))
    const rows = await this.#database.all(
      `select wanted.key from unnest(:keys::text[], :ids::uuid[]) as wanted (key, id) cross join lateral (
         select 1 from inferences where id = wanted.id and (outcome is null or (output_key = wanted.key and expires_at > :now))) as record`,
      { keys: known.map(({ key }) => key), ids: known.map(({ inferenceId }) => inferenceId), now: this.#clock.now() },
      { repeatable: true },
    )
    const wanted = new Set(rows.map((row) => readText(row, 'key')))
    // One key may be listed under several ids; what nobody is known by is nobody's.
    return outputs.filter(({ key, inferenceId }) => !isUuid(inferenceId) || !wanted.has(key)).map(({ key }) => key)
  }
}
