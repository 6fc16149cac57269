import type { Document } from '../../core/document.ts'
import type { PutResult } from '../../core/ports/document-store.ts'
import { documentBytes } from '../document-bytes.ts'
import { documentParameters } from '../rows/document-row.ts'
import { readInteger, readText } from '../rows/row.ts'
import type { Statements } from './database.ts'
import { sumDocuments } from './sum-documents.ts'

/** Keeps a document if its version and the account's bytes allow it. */
export async function putDocument(
  statements: Statements,
  { document, version, most }: { readonly document: Document; readonly version: number | null | undefined; readonly most: number },
  now: number,
): Promise<PutResult> {
  const { kind, id, accountId } = document
  // Writes of one account, and writes under one name, follow one another.
  const locks = `select pg_advisory_xact_lock(key) from (
    select distinct key from (values (hashtextextended('documents of ' || :accountId, 0)), (hashtextextended(:kind || '/' || :id, 0))) as wanted (key)
    order by key) as ordered`
  await statements.run(locks, { accountId, kind, id })
  // What has expired is gone for everybody, its name too.
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
