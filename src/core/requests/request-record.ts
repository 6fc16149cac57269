import type { ErrorRecord } from '../error.ts'
import { beginning } from '../text/visible-text.ts'
import type { UsageEntry } from '../usage.ts'

/** A request and its result, kept for a limited time so that users can find it. */
export interface RequestRecord {
  /** Id of an asynchronous request; otherwise the request id, which clients may choose. */
  readonly id: string
  readonly accountId: string
  /** null = sent from the console. */
  readonly tokenId: string | null
  readonly kind: UsageEntry['kind']
  readonly model: string
  /** Time of the request in Unix milliseconds. */
  readonly at: number
  /** The content of an asynchronous request; null = not stored, or deleted. */
  readonly requested: RequestedWork | null
  /** The result of a synchronous request; asynchronous ones have records of their own. */
  readonly result: RequestResult | null
}

/** The content of an asynchronous request. */
export interface RequestedWork {
  /** The beginning of the prompt or of the last message. */
  readonly excerpt: string
  /** Path and JSON body for repeating it, as JSON; null = too large to store. */
  readonly call: string | null
}

/** Result of a synchronous request. */
export interface RequestResult
  extends Pick<UsageEntry, 'outcome' | 'promptTokens' | 'completionTokens' | 'images' | 'durationMs' | 'firstTokenMs'> {
  /** The error that its client received; null = none, the client left, or an older version recorded the request. */
  readonly error: ErrorRecord | null
}

/** Maximum characters of an excerpt, which is searchable. */
export const longestExcerpt = 1000
/** Maximum characters of a call. */
export const longestCall = 16_384
/** Retention of the content, unless the result expires later. */
export const requestedRetentionMs = 48 * 60 * 60 * 1000
/** Retention of the record. */
export const requestRetentionMs = 8 * 24 * 60 * 60 * 1000

const longest = 100

/** A client's name for something, shortened for a message. */
export function shortName(name: string): string {
  if (name.length <= longest) return name
  const short = beginning(name.slice(0, 2 * longest), longest)
  return short === name ? name : `${short}…`
}

/** A finished request, without its content. */
export interface FinishedRequest {
  readonly requestId: string
  readonly method: string
  /** The route's pattern instead of the path, so that it can be a metric's label; `unmatched` when no route matches. */
  readonly route: string
  /** 499 when the client left before its answer was complete. */
  readonly status: number
  readonly durationMs: number
  readonly accountId: string | null
}
