import { createHash } from 'node:crypto'
import { accountLimitColumns, limitColumns } from '../rows/limit-columns.ts'
import type { Row } from '../rows/row.ts'

/** Columns of limits, as a space-separated list. */
const limitNames = limitColumns.map(([, column]) => column).join(' ')
const accountLimitNames = accountLimitColumns.map(([, column]) => column).join(' ')

/** A table to be moved between stores: both have the same columns and order. */
export interface MovedTable {
  readonly name: string
  /** Columns of the unique key by which rows are read in order. */
  readonly key: readonly string[]
  readonly columns: readonly string[]
}

/** All tables of an installation, in the order of insertion. */
export const movedTables: readonly MovedTable[] = [
  table('accounts', ['id'], `name email email_key password_hash role created_at disabled_at ${accountLimitNames}`),
  table('sessions', ['hash'], 'account_id address agent created_at expires_at last_used_at'),
  table('invitations', ['hash'], 'role account_id invited_by note created_at expires_at'),
  table('access_tokens', ['id'], `account_id name hash hint scopes created_at expires_at revoked_at last_used_at ${limitNames}`),
  table('audit_entries', ['seq'], 'at action account_id address subject detail'),
  table('usage_days', ['day', 'account_id', 'model'], 'requests failures refusals prompt_tokens completion_tokens images cost'),
  table(
    'usage_details',
    ['day', 'hour', 'account_id', 'token_id', 'model'],
    'requests failures refusals prompt_tokens completion_tokens images cost',
  ),
  table('usage_latencies', ['day', 'hour', 'account_id', 'token_id', 'model', 'what', 'bucket'], 'count'),
  table(
    'usage_entries',
    ['seq'],
    'day account_id model failures refusals prompt_tokens completion_tokens images at token_id cost whole_bucket first_bucket work_id',
  ),
  table(
    'request_records',
    ['seq'],
    'id account_id token_id kind model at excerpt words call outcome prompt_tokens completion_tokens images duration_ms refused first_token_ms error',
  ),
  table('webhook_secrets', ['seq'], 'account_id secret created_at'),
  table('documents', ['kind', 'id'], 'account_id value at label text attached_bytes expires_at version bytes'),
  table(
    'inferences',
    ['id'],
    `seq account_id kind model priority attempt created_at started_at completed_at expires_at outcome error output_key content_type
     output_bytes output_sha256 output_images`,
  ),
  table(
    'queue',
    ['id'],
    'seq account_id kind model priority tag attempt lost failed cancel_requested not_before created_at webhook_url traceparent work_format stored_bytes body',
  ),
  table('reservations', ['id'], 'account_id tokens images token_id cost running'),
  table('idempotency_keys', ['account_id', 'key'], 'id fingerprint webhook_url created_at'),
  table('stored_outputs', ['id'], 'account_id output_key bytes expires_at'),
  table('webhook_deliveries', ['id'], 'inference_id account_id url attempts next_attempt_at state last_result created_at traceparent'),
]

/** Number of rows and a hash of their content. */
export interface TableSum {
  readonly count: number
  readonly sha256: string
}

/** Reads a page of rows after a key; null = from the start. */
export type ReadPage = (table: MovedTable, after: Row | null, limit: number) => Promise<readonly Row[]>

/** Rows per page. */
const pageRows = 200

/** Reads all rows of a table page by page. */
export async function* readPages(read: ReadPage, moved: MovedTable): AsyncGenerator<readonly Row[], void, undefined> {
  let last: Row | null = null
  for (;;) {
    const page: readonly Row[] = await read(moved, last, pageRows)
    if (page.length > 0) yield page
    if (page.length < pageRows) return
    last = page.at(-1) ?? null
  }
}

/** Counts and hashes rows independently of the store. */
export class RowHash {
  readonly #hash = createHash('sha256')
  readonly #columns: readonly string[]
  #count = 0

  constructor({ columns }: MovedTable) {
    this.#columns = columns
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) this.#hash.update(`${JSON.stringify(this.#columns.map((column) => portable(row[column])))}\n`)
    this.#count += rows.length
  }

  sum(): TableSum {
    return { count: this.#count, sha256: this.#hash.digest('hex') }
  }
}

/** A value in the JSON form that PostgreSQL reads. */
export function portable(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD')
  if (typeof value === 'boolean') return value ? 1 : 0
  return value ?? null
}

function table(name: string, key: readonly string[], others: string): MovedTable {
  return { name, key, columns: [...key, ...others.trim().split(/\s+/)] }
}
