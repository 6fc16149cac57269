import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import { readAuditEntry } from '../rows/log-rows.ts'
import { SqliteTables } from './sqlite-tables.ts'

/** The audit log in SQLite; triggers prevent changes of entries. */
export class SqliteAuditLog extends SqliteTables implements AuditLog {
  async append(entry: AuditEntry): Promise<void> {
    const sql = `insert into audit_entries (at, action, account_id, address, subject, detail)
      values (:at, :action, :accountId, :address, :subject, :detail)`
    await this.write({ sql, parameters: { ...entry } })
  }

  async list({ before, limit }: { readonly before: number | null; readonly limit: number }): Promise<readonly NumberedAuditEntry[]> {
    const sql = 'select * from audit_entries where :before is null or seq < :before order by seq desc limit :limit'
    return this.reader.all(sql, { before, limit }).map(readAuditEntry)
  }
}
