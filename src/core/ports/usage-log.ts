import type { UsageDay, UsageEntry, UsageQuestion, UsageSum } from '../usage.ts'
import type { Abortable } from '../waiting.ts'

/** The work of an entry. */
export interface BookingOptions {
  readonly id?: string | undefined
  /** False = it has no reservation, and the write can wait a moment. */
  readonly isReserved?: boolean
}

/** Records the usage of finished requests. */
export interface UsageLog {
  /**
   * Adds an entry; the sums include it at once.
   *
   * @param options.id Id of the work: its reservation is released in the same write, and a repeated call adds nothing.
   */
  append(entry: UsageEntry, options: Abortable & BookingOptions): Promise<void>
  /** Sums per day and model between two UTC days, inclusive; `accountId` null = all accounts. */
  summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    options: Abortable,
  ): Promise<readonly UsageDay[]>
  /**
   * Sums by any dimensions, sorted by their keys, with latencies. Usage of versions without token records is left out if tokens or hours
   * are requested.
   */
  report(question: UsageQuestion, options: Abortable): Promise<readonly UsageSum[]>
  /** Moves some appended entries into the daily sums, which keeps the log short; resolves with their number. */
  rollUp(options: Abortable): Promise<number>
}

/** Where interactive work is booked after its answer. */
export interface UsageBooks extends Pick<UsageLog, 'append'> {
  /** Entries of answered requests that cannot be recorded yet; absent = none ever wait. */
  readonly owed?: number
}

/** Counters shared by all processes on a store, for limits that span processes. */
export interface SharedCounts {
  /**
   * Takes up to `wanted` from a subject's limit for a minute.
   *
   * @param wanted.minute Minutes of Unix time; a subject's earlier minute is discarded.
   * @param wanted.limit Limit of the minute for all processes.
   * @returns The amount taken, and the amount left for all processes.
   */
  takeOfMinute(
    wanted: { readonly subject: string; readonly minute: number; readonly wanted: number; readonly limit: number },
    options: Abortable,
  ): Promise<{ readonly granted: number; readonly left: number }>
  /**
   * Sets the number of a subject's places reserved by this process, limited by those of other processes. They are released when the process
   * ends.
   *
   * @returns The number reserved now.
   */
  keepPlaces(wanted: { readonly subject: string; readonly places: number; readonly limit: number }, options: Abortable): Promise<number>
}
