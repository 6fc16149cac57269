import type { Document, StoredDocument } from '../../core/document.ts'
import type { DocumentKey, PutResult } from '../../core/ports/document-store.ts'
import { documentBytes, documentParameters, readDocument } from '../rows/document-row.ts'
import { readInteger, readText } from '../rows/row.ts'
import type { Connection } from './connection.ts'

/** Stores a document if its version and the account's limit allow it. */
export function putDocument(
  connection: Connection,
  { document, version, most }: { readonly document: Document; readonly version: number | null | undefined; readonly most: number },
  now: number,
): PutResult {
  const { kind, id, accountId } = document
  // Expired documents do not exist for anybody, which also frees their ids.
  connection.run('delete from documents where kind = :kind and id = :id and expires_at <= :now', { kind, id, now })
  const row = connection.get('select account_id, version, bytes from documents where kind = :kind and id = :id', { kind, id })
  if (row !== undefined && readText(row, 'account_id') !== accountId) return 'conflict'
  const known = row === undefined ? null : readInteger(row, 'version')
  if (version !== undefined && version !== known) return 'conflict'
  const bytes = documentBytes(document)
  const growth = bytes - (row === undefined ? 0 : readInteger(row, 'bytes'))
  if (growth > 0 && sumDocuments(connection, { accountId, kind: null }, now).bytes + growth > most) return 'full'
  connection.run(
    `insert into documents (kind, id, account_id, value, at, label, text, attached_bytes, expires_at, version, bytes)
     values (:kind, :id, :accountId, :value, :at, :label, :text, :attachedBytes, :expiresAt, :version, :bytes)
     on conflict (kind, id) do update set value = excluded.value, at = excluded.at, label = excluded.label, text = excluded.text,
       attached_bytes = excluded.attached_bytes, expires_at = excluded.expires_at, version = excluded.version, bytes = excluded.bytes`,
    documentParameters(document, { version: (known ?? 0) + 1, bytes }),
  )
  return 'stored'
}

/** Removes a document; returns whether it existed. */
export function removeDocument(connection: Connection, { kind, id, accountId }: DocumentKey, now: number): boolean {
  const sql = `delete from documents where kind = :kind and id = :id and (:accountId is null or account_id = :accountId)
    and (expires_at is null or expires_at > :now)`
  return connection.run(sql, { kind, id, accountId, now }) > 0
}

/** Removes expired documents and returns them. */
export function takeExpiredDocuments(
  connection: Connection,
  { limit }: { readonly limit: number },
  now: number,
): readonly StoredDocument[] {
  const sql = `delete from documents where rowid in (
      select rowid from documents where expires_at <= :now order by expires_at limit :limit) returning *`
  return connection
    .all(sql, { now, limit })
    .map(readDocument)
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
}

/** Number and bytes of an account's documents. */
export function sumDocuments(
  connection: Connection,
  { accountId, kind }: { readonly accountId: string; readonly kind: string | null },
  now: number,
): { readonly count: number; readonly bytes: number } {
  // Triggers maintain the sums; expired documents that were not removed yet are few and indexed.
  const sql = `select coalesce(sum(count), 0) as count, coalesce(sum(bytes), 0) as bytes from (
      select count, bytes from document_sums where account_id = :accountId and (:kind is null or kind = :kind)
      union all
      select -count(*), -coalesce(sum(bytes), 0) from documents
        where account_id = :accountId and expires_at <= :now and (:kind is null or kind = :kind))`
  const row = connection.get(sql, { accountId, kind, now })
  return row === undefined ? { count: 0, bytes: 0 } : { count: readInteger(row, 'count'), bytes: readInteger(row, 'bytes') }
}
