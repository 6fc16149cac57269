import type { Document, DocumentKind, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentKey, DocumentQuery, DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import { readDocument } from '../rows/document-row.ts'
import type { Database } from './database.ts'
import { putDocument } from './put-document.ts'
import { sumDocuments } from './sum-documents.ts'

type Options = { readonly signal: AbortSignal }

const alive = '(expires_at is null or expires_at > :now)'

/** Documents of all nodes, each a row. */
export class PostgresDocumentStore implements DocumentStore {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async put(
    document: Document,
    { signal, version, most }: Options & { readonly version?: number | null; readonly most: number },
  ): Promise<PutResult> {
    signal.throwIfAborted()
    return this.#database.transaction((statements) => putDocument(statements, { document, version, most }, this.#clock.now()))
  }

  async get({ kind, id, accountId }: DocumentKey, { signal }: Options): Promise<StoredDocument | null> {
    signal.throwIfAborted()
    const sql = `select * from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    const row = await this.#database.get(sql, { kind, id, accountId, now: this.#clock.now() }, { repeatable: true })
    return row === undefined ? null : readDocument(row)
  }

  async list(
    { kind, accountId, label, search, order, after, limit }: DocumentQuery,
    { signal }: Options,
  ): Promise<readonly StoredDocument[]> {
    signal.throwIfAborted()
    const [comparison, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc']
    // Conditions are written only where they are asked for, so that the indexes are used.
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

  async remove({ kind, id, accountId }: DocumentKey, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const sql = `delete from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    return (await this.#database.run(sql, { kind, id, accountId, now: this.#clock.now() })) > 0
  }

  async sum(
    of: { readonly accountId: string; readonly kind: DocumentKind | null },
    { signal }: Options,
  ): Promise<{ readonly count: number; readonly bytes: number }> {
    signal.throwIfAborted()
    return sumDocuments(this.#database, of, this.#clock.now())
  }

  async takeExpired(limit: number, { signal }: Options): Promise<readonly StoredDocument[]> {
    signal.throwIfAborted()
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
