import type { Document, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import {
  DocumentTables,
  findKnown,
  judgeWrite,
  readExpired,
  readSum,
  removeExpired,
  sumDocuments,
  writeDocument,
} from '../tables/document-tables.ts'
import type { Database } from './database.ts'

/** Documents of all nodes. */
export class PostgresDocumentStore extends DocumentTables<Database> implements DocumentStore {
  constructor(database: Database, clock: Clock) {
    super(database, clock, 'strpos')
  }

  /** Stores a document if its version and the account's limit allow it. */
  async put(document: Document, { version, most }: { readonly version?: number | null; readonly most: number }): Promise<PutResult> {
    const { kind, id, accountId } = document
    const now = this.clock.now()
    return this.database.transaction(async (statements) => {
      // Serializes writes of one account, and writes of one document.
      const locks = `select pg_advisory_xact_lock(key) from (
        select distinct key from (values (hashtextextended('documents of ' || :accountId, 0)), (hashtextextended(:kind || '/' || :id, 0))) as wanted (key)
        order by key) as ordered`
      await statements.run(locks, { accountId, kind, id })
      await statements.run(removeExpired, { kind, id, now })
      const answer = judgeWrite({ document, version, most }, await statements.get(findKnown, { kind, id }))
      if (answer === 'conflict') return answer
      if (answer.growth > 0) {
        const { sql, parameters } = sumDocuments({ accountId, kind: null }, now)
        if (readSum(await statements.get(sql, parameters)).bytes + answer.growth > most) return 'full'
      }
      await statements.run(writeDocument, answer.parameters)
      return 'stored'
    })
  }

  async takeExpired(limit: number): Promise<readonly StoredDocument[]> {
    const sql = `delete from documents as document using (
        select kind, id from documents where expires_at <= :now order by expires_at limit :limit for update skip locked) as expired
      where document.kind = expired.kind and document.id = expired.id returning document.*`
    return readExpired(await this.database.all(sql, { now: this.clock.now(), limit }))
  }
}
