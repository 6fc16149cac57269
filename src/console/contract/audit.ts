import type { NumberedAuditEntry } from '../../core/ports/audit-log.ts'

/** GET /console/api/audit; the same as a table is at /console/api/audit.csv. */
export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly NumberedAuditEntry[]
  /** What to give as `before` for the page behind this one; null = there is none. */
  readonly next: string | null
}
