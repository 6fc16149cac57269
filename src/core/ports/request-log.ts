import type { RequestRecord } from '../requests/request-record.ts'
import type { Abortable } from '../waiting.ts'

/** A record with its number; numbers increase. */
export interface NumberedRequest extends RequestRecord {
  readonly number: number
}

/** Filters for listing records. */
export interface RequestLogQuery {
  /** null = all accounts. */
  readonly accountId: string | null
  /** Only records whose excerpt contains this, ignoring case; null = all. */
  readonly search: string | null
  readonly kind: RequestRecord['kind'] | null
  /** Only asynchronous requests, or only others; null = both. */
  readonly deferred: boolean | null
  /** Only records with these ids; null = all. */
  readonly ids: readonly string[] | null
  /** Only records with a smaller number; null = start with the newest. */
  readonly before: number | null
  readonly limit: number
}

/** Keeps records of requests for a limited time. */
export interface RequestLog {
  /** Appends records, numbered in order. */
  append(records: readonly RequestRecord[], options: Abortable): Promise<void>
  /** Newest first. */
  list(query: RequestLogQuery, options: Abortable): Promise<readonly NumberedRequest[]>
  /**
   * Deletes the words of some records older than `words`, and some records older than `all`; both in Unix milliseconds.
   *
   * @returns Number of records changed; 0 = none are left.
   */
  expire(before: { readonly words: number; readonly all: number }, options: Abortable): Promise<number>
}
