import type { RequestRecord } from '../requests/request-record.ts'

type Options = { readonly signal: AbortSignal }

/** A record with its number, which grows with each. */
export interface NumberedRequest extends RequestRecord {
  readonly number: number
}

/** Which records to list. */
export interface RequestLogQuery {
  /** null = everybody's. */
  readonly accountId: string | null
  /** Only those whose excerpt contains this, whatever the case; null = all. */
  readonly search: string | null
  readonly kind: RequestRecord['kind'] | null
  /** Only asynchronous ones, only others; null = both. */
  readonly deferred: boolean | null
  /** Only those with these ids; null = all. */
  readonly ids: readonly string[] | null
  /** Only those with a smaller number; null = from the newest. */
  readonly before: number | null
  readonly limit: number
}

/** Keeps for a while what was asked of the service. */
export interface RequestLog {
  /** Adds records, numbered in their order. */
  append(records: readonly RequestRecord[], options: Options): Promise<void>
  /** Newest first. */
  list(query: RequestLogQuery, options: Options): Promise<readonly NumberedRequest[]>
  /** Forgets the words of what is older than `words`, and all of what is older than `all`; both in Unix milliseconds. */
  expire(before: { readonly words: number; readonly all: number }, options: Options): Promise<void>
}
