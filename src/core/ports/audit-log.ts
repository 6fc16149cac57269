import type { AuditEntry } from '../audit-entry.ts'

type Options = { readonly signal: AbortSignal }

/** An entry with its number, which grows with each. */
export interface NumberedAuditEntry extends AuditEntry {
  readonly number: number
}

/** Keeps what was done, for good: entries are added, and neither change nor go. */
export interface AuditLog {
  /** Adds an entry; it is on stable storage when this returns. */
  append(entry: AuditEntry, options: Options): Promise<void>
  /** Entries older than number `before` (null = the newest), newest first, `limit` at most. */
  list(page: { readonly before: number | null; readonly limit: number }, options: Options): Promise<readonly NumberedAuditEntry[]>
}
