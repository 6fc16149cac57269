import { auditActions } from '../../core/audit-entry.ts'
import type { NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import { type Row, readInteger, readOneOf, readTextOrNull } from './row.ts'

/** A row of `audit_entries`. */
export function readAuditEntry(row: Row): NumberedAuditEntry {
  return {
    number: readInteger(row, 'seq'),
    at: readInteger(row, 'at'),
    action: readOneOf(row, 'action', auditActions),
    accountId: readTextOrNull(row, 'account_id'),
    address: readTextOrNull(row, 'address'),
    subject: readTextOrNull(row, 'subject'),
    detail: readTextOrNull(row, 'detail'),
  }
}
