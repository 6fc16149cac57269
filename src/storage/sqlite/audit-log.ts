import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { readAuditEntry } from '../rows/log-rows.ts'
import type { Connection } from './connection.ts'
import { type Writer, writeOne } from './writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** The audit log in SQLite; triggers keep its entries as they are. */
export class SqliteAuditLog implements AuditLog {
  readonly #writer: Writer
  readonly #reader: Connection
  readonly #clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.#writer = writer
    this.#reader = reader
    this.#clock = clock
  }

  async append(entry: AuditEntry, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const sql = `insert into audit_entries (at, action, account_id, address, subject, detail)
      values (:at, :action, :accountId, :address, :subject, :detail)`
    await writeOne(this.#writer, { sql, parameters: { ...entry } }, this.#clock)
  }

  async list(
    { before, limit }: { readonly before: number | null; readonly limit: number },
    { signal }: Options,
  ): Promise<readonly NumberedAuditEntry[]> {
    signal.throwIfAborted()
    const sql = 'select * from audit_entries where :before is null or seq < :before order by seq desc limit :limit'
    return this.#reader.all(sql, { before, limit }).map(readAuditEntry)
  }
}
