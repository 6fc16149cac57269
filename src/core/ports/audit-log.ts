import type { AuditEntry } from '../audit-entry.ts'
import type { Abortable } from '../waiting.ts'

/** An entry with its number; numbers increase. */
export interface NumberedAuditEntry extends AuditEntry {
  readonly number: number
}

/** An append-only log of actions. */
export interface AuditLog {
  /** Appends an entry and resolves once it is on stable storage. */
  append(entry: AuditEntry, options: Abortable): Promise<void>
  /** Entries before number `before` (null = the newest), newest first, at most `limit`. */
  list(page: { readonly before: number | null; readonly limit: number }, options: Abortable): Promise<readonly NumberedAuditEntry[]>
}
