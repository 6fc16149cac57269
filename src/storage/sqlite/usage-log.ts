import { budgetStarts } from '../../core/limits/budget.ts'
import type { BookingOptions, UsageLog } from '../../core/ports/usage-log.ts'
import { firstHourDay, type UsageEntry } from '../../core/usage.ts'
import { UsageTables } from '../tables/usage-tables.ts'
import { entryHour } from './book-usage.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Sums per UTC day, account and model, and the entries since the last roll-up, which bounds its size. */
export class SqliteUsageLog extends UsageTables<SqliteDatabase> implements UsageLog {
  protected readonly entryHour = entryHour
  protected readonly twoDigits = "printf('%02d', hour)"

  async append(entry: UsageEntry, { id, isReserved = id !== undefined }: BookingOptions): Promise<void> {
    // A reservation reduces the account's budget until its entry is written; without one, the write can wait a moment.
    const booking = { ...entry, id, isReserved }
    await this.database.writer.run('bookUsage', booking, this.clock.now(), { mayWait: !isReserved })
  }

  async rollUp(): Promise<number> {
    const now = this.clock.now()
    return this.database.writer.run('rollUpUsage', { since: budgetStarts(now).minute, hoursFrom: firstHourDay(now) }, now)
  }
}
