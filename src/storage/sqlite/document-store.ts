import type { Document, DocumentKind, StoredDocument } from '../../core/document.ts'
import type { DocumentKey, DocumentQuery, DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import { readDocument, readVersions } from '../rows/document-row.ts'
import { sumDocuments } from './documents.ts'
import { SqliteTables } from './sqlite-tables.ts'

type Options = { readonly signal: AbortSignal }

/** Documents in SQLite. */
export class SqliteDocumentStore extends SqliteTables implements DocumentStore {
  async put(
    document: Document,
    { version, most }: Options & { readonly version?: number | null; readonly most: number },
  ): Promise<PutResult> {
    return this.writer.run('putDocument', { document, version, most }, this.clock.now())
  }

  async get({ kind, id, accountId }: DocumentKey): Promise<StoredDocument | null> {
    const sql = `select * from documents where kind = :kind and id = :id and (:accountId is null or account_id = :accountId)
      and (expires_at is null or expires_at > :now)`
    const row = this.reader.get(sql, { kind, id, accountId, now: this.clock.now() })
    return row === undefined ? null : readDocument(row)
  }

  async list({ kind, accountId, label, search, order, after, limit }: DocumentQuery): Promise<readonly StoredDocument[]> {
    const [comparison, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc']
    // Conditions are included only if requested, so that the indexes are used.
    const conditions = [
      'kind = :kind',
      accountId === null ? '' : 'account_id = :accountId',
      label === undefined ? '' : 'label = :label',
      search === undefined ? '' : 'instr(text, :search) > 0',
      after === null ? '' : `(at, id) ${comparison} (:at, :id)`,
      '(expires_at is null or expires_at > :now)',
    ].filter((condition) => condition !== '')
    const sql = `select * from documents where ${conditions.join(' and ')} order by at ${direction}, id ${direction} limit :limit`
    return this.reader
      .all(sql, {
        kind,
        accountId,
        label: label ?? null,
        search: search?.toLowerCase() ?? null,
        at: after?.at ?? null,
        id: after?.id ?? null,
        now: this.clock.now(),
        limit,
      })
      .map(readDocument)
  }

  async versions(of: {
    readonly kind: DocumentKind
    readonly accountId: string
    readonly label: string
    readonly limit: number
  }): Promise<ReadonlyMap<string, number>> {
    const sql = `select id, version from documents where kind = :kind and account_id = :accountId and label = :label
      and (expires_at is null or expires_at > :now) order by at, id limit :limit`
    return readVersions(this.reader.all(sql, { ...of, now: this.clock.now() }))
  }

  async remove(key: DocumentKey): Promise<boolean> {
    return this.writer.run('removeDocument', key, this.clock.now())
  }

  async sum(of: {
    readonly accountId: string
    readonly kind: DocumentKind | null
  }): Promise<{ readonly count: number; readonly bytes: number }> {
    return sumDocuments(this.reader, of, this.clock.now())
  }

  async takeExpired(limit: number): Promise<readonly StoredDocument[]> {
    return this.writer.run('takeExpiredDocuments', { limit }, this.clock.now())
  }
}
