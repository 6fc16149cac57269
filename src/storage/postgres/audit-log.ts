import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import { readAuditEntry } from '../rows/log-rows.ts'
import type { Database } from './database.ts'

type Options = { readonly signal: AbortSignal }

/** The audit log of all nodes; a trigger keeps its entries as they are. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async append(entry: AuditEntry, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const sql = `insert into audit_entries (at, action, account_id, address, subject, detail)
      values (:at, :action, :accountId, :address, :subject, :detail)`
    await this.#database.run(sql, { ...entry })
  }

  async list(
    { before, limit }: { readonly before: number | null; readonly limit: number },
    { signal }: Options,
  ): Promise<readonly NumberedAuditEntry[]> {
    signal.throwIfAborted()
    const older = before === null ? '' : 'where seq < :before'
    const sql = `select * from audit_entries ${older} order by seq desc limit :limit`
    return (await this.#database.all(sql, { before, limit }, { repeatable: true })).map(readAuditEntry)
  }
}
