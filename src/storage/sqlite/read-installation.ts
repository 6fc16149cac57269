import { filePrefix } from '../../core/files/stored-file.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { MovedTable, ReadPage } from '../moving/moved-table.ts'
import { type Row, readInteger, readText } from '../rows/row.ts'
import { Connection } from './connection.ts'

/**
 * The key of an output in a bucket, derived only from its row, so that a resumed move creates no second object. It has the format of the
 * bucket store's keys: `v1/<hour>/<id>/<attempt>-<nonce>`.
 */
const bucketKey = `iif(output_key is null, null, 'v1/' || strftime('%Y-%m-%dT%H', completed_at / 1000, 'unixepoch') || '/' || id || '/' || attempt || '-'
    || printf('%012x', completed_at) || substr(output_sha256, 1, 20))`

/** The key of a file attached to a document: copies of pictures, bodies of the request log, parts of files. */
const documentKey = (place: string, file: string) => `'v1/' || strftime('%Y-%m-%dT%H', documents.at / 1000, 'unixepoch') || '/'
    || iif(documents.kind = 'file', substr(documents.id, ${filePrefix.length + 1}), documents.id) || '/' || (${place} + 1) || '-'
    || printf('%012x', documents.at) || substr(json_extract(${file}, '$.sha256'), 1, 20)`

/** Documents with their files named as in a bucket. */
const documentsInBucket = `select kind, id, account_id, at, label, text, attached_bytes, expires_at, version, bytes,
    case when kind in ('picture', 'thumbnail', 'request-body') and json_type(documents.value, '$.file') = 'object'
      then json_set(documents.value, '$.file.key', ${documentKey('0', "json_extract(documents.value, '$.file')")})
    when kind = 'file' and json_type(documents.value, '$.parts') = 'array'
      then json_set(documents.value, '$.parts', json((select json_group_array(json_set(part.value, '$.key', ${documentKey('part.key', 'part.value')}))
        from json_each(documents.value, '$.parts') as part)))
    else documents.value end as value
  from documents`

/** Files attached to documents, with their current and new names. */
const documentOutputs = `select documents.kind || '/' || documents.id || '/' || printf('%06d', part.key) as id,
    json_extract(part.value, '$.key') as output_key, ${documentKey('part.key', 'part.value')} as object_key,
    json_extract(part.value, '$.contentType') as content_type, json_extract(part.value, '$.bytes') as output_bytes,
    json_extract(part.value, '$.sha256') as output_sha256
  from documents, json_each(case when documents.kind in ('picture', 'thumbnail', 'request-body') then json_array(json_extract(documents.value, '$.file'))
    when documents.kind = 'file' then coalesce(json_extract(documents.value, '$.parts'), '[]') else '[]' end) as part
  where part.type = 'object'`

const keptOutputs = `select id, output_key, ${bucketKey} as object_key, content_type, output_bytes, output_sha256 from inferences
    where output_key is not null and output_deleted = 0 and status = 'completed'
  union all ${documentOutputs}`

/** Queries for tables that other stores keep in another form. */
const sourcesWith = (outputKey: string): Readonly<Record<string, string>> => ({
  webhook_secrets: 'select rowid as seq, account_id, secret, created_at from webhook_secrets',
  inferences: `select id, seq, account_id, kind, model, priority, created_at, completed_at, expires_at, outcome, error, ${outputKey} as output_key, content_type,
      output_bytes, output_sha256, output_images, iif(outcome is null, 0, attempt) as attempt, iif(outcome is null, null, started_at) as started_at
    from inferences`,
  // Tags as if all work were submitted now, each account's in its own order.
  queue: `select id, inferences.seq as seq, account_id, kind, model, priority, attempt, lost, failed, cancel_requested, not_before, created_at, webhook_url, traceparent,
      work_format, stored_bytes, body, row_number() over (partition by model, priority, account_id order by inferences.seq) - 1 as tag
    from inferences join inference_work using (seq) where status <> 'completed'`,
  // Nothing is running any more.
  reservations: 'select id, account_id, tokens, images, token_id, cost, 0 as running from reservations',
  idempotency_keys: `select account_id, idempotency_key as key, id, fingerprint, webhook_url, created_at from inferences where idempotency_key is not null`,
  stored_outputs: `select id, account_id, ${outputKey} as output_key, output_bytes as bytes, expires_at from inferences
    where output_key is not null and output_deleted = 0 and status = 'completed'`,
})

/** A stored output or attached file, with its current name and its name in a bucket. */
export interface KeptOutput {
  readonly file: OutputReference
  readonly object: OutputReference
  readonly id: string
}

/** Reads an embedded installation table by table; its service must not be running. */
export class InstallationReader implements Disposable {
  readonly #connection: Connection
  readonly #sources: Readonly<Record<string, string>>

  /** @param outputs Destination of the outputs, which determines their names in rows. */
  constructor(file: string, { outputs }: { readonly outputs: 'files' | 'bucket' }) {
    this.#sources = outputs === 'files' ? sourcesWith('output_key') : { ...sourcesWith(bucketKey), documents: documentsInBucket }
    this.#connection = new Connection(file, { readOnly: true })
  }

  count({ name }: MovedTable): number {
    return readInteger(
      this.#connection.get(`select count(*) as count from (${this.#sources[name] ?? `select * from ${name}`})`) ?? {},
      'count',
    )
  }

  readonly read: ReadPage = async ({ name, key, columns }, after, limit) => {
    const later = after === null ? '' : `where (${key.join(', ')}) > (${key.map((column) => `:${column}`).join(', ')})`
    const sql = `select ${columns.join(', ')} from (${this.#sources[name] ?? `select * from ${name}`}) ${later} order by ${key.join(', ')} limit :limit`
    return this.#connection.all(sql, { ...keyOf(after, key), limit })
  }

  /** Number of stored outputs. */
  countOutputs(): number {
    return readInteger(this.#connection.get(`select count(*) as count from (${keptOutputs})`) ?? {}, 'count')
  }

  /** Stored outputs and attached files, sorted by id. */
  keptOutputs(after: string | null, limit: number): readonly KeptOutput[] {
    const rows = this.#connection.all(`select * from (${keptOutputs}) where id > :after order by id limit :limit`, {
      after: after ?? '',
      limit,
    })
    return rows.map((row) => {
      const content = {
        contentType: readText(row, 'content_type'),
        bytes: readInteger(row, 'output_bytes'),
        sha256: readText(row, 'output_sha256'),
      }
      return {
        id: readText(row, 'id'),
        file: { key: readText(row, 'output_key'), ...content },
        object: { key: readText(row, 'object_key'), ...content },
      }
    })
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]()
  }
}

function keyOf(row: Row | null, key: readonly string[]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(key.map((column) => [column, typeof row?.[column] === 'number' ? row[column] : String(row?.[column] ?? '')]))
}
