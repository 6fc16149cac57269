import type { Document, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import { DocumentTables } from '../tables/document-tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Documents in SQLite. */
export class SqliteDocumentStore extends DocumentTables<SqliteDatabase> implements DocumentStore {
  constructor(database: SqliteDatabase, clock: Clock) {
    super(database, clock, 'instr')
  }

  async put(document: Document, { version, most }: { readonly version?: number | null; readonly most: number }): Promise<PutResult> {
    return this.database.writer.run('putDocument', { document, version, most }, this.clock.now())
  }

  async takeExpired(limit: number): Promise<readonly StoredDocument[]> {
    return this.database.writer.run('takeExpiredDocuments', { limit }, this.clock.now())
  }
}
