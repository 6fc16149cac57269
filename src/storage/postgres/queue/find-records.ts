import { type Inference, recordRetentionMs } from '../../../core/inference.ts'
import { readInference } from '../../rows/inference-row.ts'
import { type Row, readInteger } from '../../rows/row.ts'
import type { Statements } from '../database.ts'

/** A record with where it stands in the queue; null when it does not wait. */
export interface FoundRecord {
  readonly inference: Inference
  readonly turn: Turn | null
}

/** Where work stands among what waits for the same model in the same priority: by tag, then by number. */
export interface Turn {
  readonly model: string
  readonly priority: number
  readonly tag: number
  readonly seq: number
}

/** The columns of a record as the reader of rows wants them: `entry` is its row in the queue, if it still has one. */
export const recordColumns = `record.id, record.seq, record.account_id, record.kind, record.model, record.priority, record.outcome, record.error,
  record.output_key, record.content_type, record.output_bytes, record.output_sha256, record.output_images, record.created_at,
  record.completed_at, record.expires_at, entry.tag, entry.step, entry.total,
  case when record.outcome is not null then 'completed' when entry.running then 'running' else 'pending' end as status,
  coalesce(entry.attempt, record.attempt) as attempt, coalesce(entry.started_at, record.started_at) as started_at`

/** That a record is not past its retention, though nobody may have deleted it yet. */
export const remembered = '(expires_at is null or expires_at > :forgotten)'

/** Joined by `lateral`, because only so does PostgreSQL open no partition but the id's own. */
const sql = `select wanted.n, ${recordColumns}
  from unnest(:ids::uuid[], :accounts::text[]) with ordinality as wanted (id, account_id, n)
  cross join lateral (select * from inferences where id = wanted.id and account_id = wanted.account_id and ${remembered}) as record
  left join lateral (select * from queue where id = record.id and record.outcome is null) as entry on true`

/** Before when a record's output must have expired for the record to be forgotten. */
export function forgottenBefore(now: number): number {
  return now - recordRetentionMs
}

/** The records of these ids that belong to their accounts, in the same order; null for each that does not exist. */
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
  const rows = await statements.all(sql, parameters, { repeatable: true })
  for (const row of rows) {
    const at = known[readInteger(row, 'n') - 1]
    if (at !== undefined) found[at.index] = readRecord(row)
  }
  return found
}

/** A row of {@link recordColumns}. */
export function readRecord(row: Row): FoundRecord {
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

/** Whether a text can be the id of an inference here at all. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
