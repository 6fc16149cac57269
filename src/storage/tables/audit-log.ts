import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import { readAuditEntry } from '../rows/log-rows.ts'
import { repeatable, type Statements, Tables } from './statements.ts'

/** The audit log in either database; triggers prevent changes of entries. */
export class DatabaseAuditLog extends Tables<Statements> implements AuditLog {
  async append(entry: AuditEntry): Promise<void> {
    const sql = `insert into audit_entries (at, action, account_id, address, subject, detail)
      values (:at, :action, :accountId, :address, :subject, :detail)`
    await this.database.run(sql, { ...entry })
  }

  async list({ before, limit }: { readonly before: number | null; readonly limit: number }): Promise<readonly NumberedAuditEntry[]> {
    const older = before === null ? '' : 'where seq < :before'
    const sql = `select * from audit_entries ${older} order by seq desc limit :limit`
    return (await this.database.all(sql, { before, limit }, repeatable)).map(readAuditEntry)
  }
}
