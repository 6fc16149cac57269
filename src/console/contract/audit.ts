import type { NumberedAuditEntry } from '../../core/ports/audit-log.ts'

/** GET /console/api/audit; /console/api/audit.csv returns the same as a table. */
export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly NumberedAuditEntry[]
  /** The access tokens among the targets that are still stored. */
  readonly tokens: readonly { readonly id: string; readonly name: string }[]
  /** The value of `before` for the next page; null = last page. */
  readonly next: string | null
}
