import type { Document, DocumentKind, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentKey, DocumentQuery, DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import { documentBytes, documentParameters, readDocument, readVersions } from '../rows/document-row.ts'
import { readInteger, readText } from '../rows/row.ts'
import type { Database, Statements } from './database.ts'

type Options = { readonly signal: AbortSignal }

const alive = '(expires_at is null or expires_at > :now)'

/** Documents of all nodes. */
export class PostgresDocumentStore implements DocumentStore {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async put(
    document: Document,
    { version, most }: Options & { readonly version?: number | null; readonly most: number },
  ): Promise<PutResult> {
    return this.#database.transaction((statements) => putDocument(statements, { document, version, most }, this.#clock.now()))
  }

  async get({ kind, id, accountId }: DocumentKey): Promise<StoredDocument | null> {
    const sql = `select * from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    const row = await this.#database.get(sql, { kind, id, accountId, now: this.#clock.now() }, { repeatable: true })
    return row === undefined ? null : readDocument(row)
  }

  async list({ kind, accountId, label, search, order, after, limit }: DocumentQuery): Promise<readonly StoredDocument[]> {
    const [comparison, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc']
    // Conditions are included only if requested, so that the indexes are used.
    const conditions = [
      `kind = :kind ${ofAccount(accountId)}`,
      label === undefined ? '' : 'label = :label',
      search === undefined ? '' : 'strpos(text, :search) > 0',
      after === null ? '' : `(at, id) ${comparison} (:at::bigint, :id)`,
      alive,
    ].filter((condition) => condition !== '')
    const sql = `select * from documents where ${conditions.join(' and ')} order by at ${direction}, id ${direction} limit :limit`
    const parameters = {
      kind,
      accountId,
      label,
      search: search?.toLowerCase(),
      at: after?.at,
      id: after?.id,
      now: this.#clock.now(),
      limit,
    }
    return (await this.#database.all(sql, parameters, { repeatable: true })).map(readDocument)
  }

  async versions(of: {
    readonly kind: DocumentKind
    readonly accountId: string
    readonly label: string
    readonly limit: number
  }): Promise<ReadonlyMap<string, number>> {
    const sql = `select id, version from documents where kind = :kind and account_id = :accountId and label = :label and ${alive}
      order by at, id limit :limit`
    return readVersions(await this.#database.all(sql, { ...of, now: this.#clock.now() }, { repeatable: true }))
  }

  async remove({ kind, id, accountId }: DocumentKey): Promise<boolean> {
    const sql = `delete from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    return (await this.#database.run(sql, { kind, id, accountId, now: this.#clock.now() })) > 0
  }

  async sum(of: {
    readonly accountId: string
    readonly kind: DocumentKind | null
  }): Promise<{ readonly count: number; readonly bytes: number }> {
    return sumDocuments(this.#database, of, this.#clock.now())
  }

  async takeExpired(limit: number): Promise<readonly StoredDocument[]> {
    const sql = `delete from documents as document using (
        select kind, id from documents where expires_at <= :now order by expires_at limit :limit for update skip locked) as expired
      where document.kind = expired.kind and document.id = expired.id returning document.*`
    const rows = await this.#database.all(sql, { now: this.#clock.now(), limit })
    return rows.map(readDocument).sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
  }
}

function ofAccount(accountId: string | null): string {
  return accountId === null ? '' : 'and account_id = :accountId'
}

/** Stores a document if its version and the account's limit allow it. */
async function putDocument(
  statements: Statements,
  { document, version, most }: { readonly document: Document; readonly version: number | null | undefined; readonly most: number },
  now: number,
): Promise<PutResult> {
  const { kind, id, accountId } = document
  // Serializes writes of one account, and writes of one document.
  const locks = `select pg_advisory_xact_lock(key) from (
    select distinct key from (values (hashtextextended('documents of ' || :accountId, 0)), (hashtextextended(:kind || '/' || :id, 0))) as wanted (key)
    order by key) as ordered`
  await statements.run(locks, { accountId, kind, id })
  // Expired documents do not exist for anybody, which also frees their ids.
  await statements.run('delete from documents where kind = :kind and id = :id and expires_at <= :now', { kind, id, now })
  const row = await statements.get('select account_id, version, bytes from documents where kind = :kind and id = :id', { kind, id })
  if (row !== undefined && readText(row, 'account_id') !== accountId) return 'conflict'
  const known = row === undefined ? null : readInteger(row, 'version')
  if (version !== undefined && version !== known) return 'conflict'
  const bytes = documentBytes(document)
  const growth = bytes - (row === undefined ? 0 : readInteger(row, 'bytes'))
  if (growth > 0 && (await sumDocuments(statements, { accountId, kind: null }, now)).bytes + growth > most) return 'full'
  await statements.run(
    `insert into documents (kind, id, account_id, value, at, label, text, attached_bytes, expires_at, version, bytes)
     values (:kind, :id, :accountId, :value, :at, :label, :text, :attachedBytes, :expiresAt, :version, :bytes)
     on conflict (kind, id) do update set value = excluded.value, at = excluded.at, label = excluded.label, text = excluded.text,
       attached_bytes = excluded.attached_bytes, expires_at = excluded.expires_at, version = excluded.version, bytes = excluded.bytes`,
    documentParameters(document, { version: (known ?? 0) + 1, bytes }),
  )
  return 'stored'
}

/** Number and bytes of an account's documents. */
async function sumDocuments(
  statements: Statements,
  { accountId, kind }: { readonly accountId: string; readonly kind: string | null },
  now: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const ofKind = kind === null ? '' : 'and kind = :kind'
  // Triggers maintain the sums; expired documents that were not removed yet are few and indexed.
  const sql = `select coalesce(sum(count), 0)::bigint as count, coalesce(sum(bytes), 0)::bigint as bytes from (
      select count, bytes from document_sums where account_id = :accountId ${ofKind}
      union all
      select -count(*), -coalesce(sum(bytes), 0) from documents where account_id = :accountId and expires_at <= :now ${ofKind}) as parts`
  const row = (await statements.get(sql, { accountId, kind, now })) ?? {}
  return { count: readInteger(row, 'count'), bytes: readInteger(row, 'bytes') }
}
