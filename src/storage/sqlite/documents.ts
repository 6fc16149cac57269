import type { StoredDocument } from '../../core/document.ts'
import type { PutResult } from '../../core/ports/document-store.ts'
import {
  type DocumentWrite,
  findKnown,
  judgeWrite,
  readExpired,
  readSum,
  removeExpired,
  sumDocuments,
  writeDocument,
} from '../tables/document-tables.ts'
import type { Connection } from './connection.ts'

/** Stores a document if its version and the account's limit allow it. */
export function putDocument(connection: Connection, wish: DocumentWrite, now: number): PutResult {
  const { kind, id, accountId } = wish.document
  connection.run(removeExpired, { kind, id, now })
  const answer = judgeWrite(wish, connection.get(findKnown, { kind, id }))
  if (answer === 'conflict') return answer
  if (answer.growth > 0) {
    const { sql, parameters } = sumDocuments({ accountId, kind: null }, now)
    if (readSum(connection.get(sql, parameters)).bytes + answer.growth > wish.most) return 'full'
  }
  connection.run(writeDocument, answer.parameters)
  return 'stored'
}

/** Removes expired documents and returns them. */
export function takeExpiredDocuments(
  connection: Connection,
  { limit }: { readonly limit: number },
  now: number,
): readonly StoredDocument[] {
  const sql = `delete from documents where rowid in (
      select rowid from documents where expires_at <= :now order by expires_at limit :limit) returning *`
  return readExpired(connection.all(sql, { now, limit }))
}
