import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'

type Options = { readonly signal: AbortSignal }

/** The audit log of a store in memory. */
export class MemoryAuditLog implements AuditLog {
  readonly #entries: NumberedAuditEntry[] = []

  async append(entry: AuditEntry, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#entries.push({ number: this.#entries.length + 1, ...entry })
  }

  async list(
    { before, limit }: { readonly before: number | null; readonly limit: number },
    { signal }: Options,
  ): Promise<readonly NumberedAuditEntry[]> {
    signal.throwIfAborted()
    return this.#entries
      .filter(({ number }) => before === null || number < before)
      .toReversed()
      .slice(0, limit)
  }
}
