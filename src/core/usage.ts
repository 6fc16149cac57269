import { type ErrorCode, ServiceError } from './error.ts'
import type { LatencyHistogram } from './limits/latency.ts'
import { dayMs } from './ports/clock.ts'

/** Usage of one finished request; never its content. */
export interface UsageEntry {
  readonly accountId: string
  readonly tokenId: string | null
  readonly model: string
  readonly kind: 'chat' | 'completion' | 'embedding' | 'rerank' | 'image'
  /** `refused` means by a limit of the account or token. */
  readonly outcome: 'succeeded' | 'failed' | 'cancelled' | 'refused'
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** At the price valid at that time, in millionths of the price unit; 0 if the model had no price. */
  readonly cost: number
  readonly durationMs: number
  /** Until the first token; null if there was none. */
  readonly firstTokenMs: number | null
  /** Unix milliseconds. */
  readonly at: number
}

const limitCodes: readonly ErrorCode[] = ['rate_limit_exceeded', 'concurrency_limit_exceeded', 'quota_exceeded']

/** The outcome recorded for an error: errors about limits are refusals. */
export function outcomeOfFailure(code: ErrorCode | null): 'failed' | 'refused' {
  return code !== null && limitCodes.includes(code) ? 'refused' : 'failed'
}

/** Sums of usage. */
export interface UsageCounts {
  readonly requests: number
  readonly failures: number
  /** Requests refused by a limit of the account or token. */
  readonly refusals: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** In millionths of the price unit. */
  readonly cost: number
}

/** Usage of one account and model on one UTC day. */
export interface UsageDay extends UsageCounts {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly accountId: string
  readonly model: string
}

/** Dimensions for grouping usage; an hour is written `2026-11-23T09`, UTC. */
export const usageDimensions = ['account', 'token', 'model', 'day', 'hour'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** Days for which hourly sums are kept; daily sums are kept for good. */
const hoursKeptDays = 31

/** The first day with hourly sums, as `YYYY-MM-DD`. */
export function firstHourDay(now: number): string {
  return new Date(now - hoursKeptDays * dayMs).toISOString().slice(0, 10)
}

/** A query for sums of usage. */
export interface UsageQuestion {
  /** null = all accounts. */
  readonly accountId: string | null
  /** First and last UTC day, inclusive. */
  readonly from: string
  readonly to: string
  /** Empty = one total. */
  readonly by: readonly UsageDimension[]
}

/** One sum with the latencies of its requests. */
export interface UsageSum extends UsageCounts {
  /** A value per requested dimension; the token is empty for console sessions and for entries of older versions. */
  readonly keys: Readonly<Partial<Record<UsageDimension, string>>>
  /** Latencies of whole requests. */
  readonly latency: LatencyHistogram
  /** Latencies until the first token. */
  readonly firstToken: LatencyHistogram
}

/** The keys of a sum as one text, equal for equal keys. */
export function keyOfSum(by: readonly UsageDimension[], keys: UsageSum['keys']): string {
  return JSON.stringify(by.map((dimension) => keys[dimension] ?? ''))
}

/** Number of days shown by default, including today. */
const shownDays = 30

/**
 * Parses a span of UTC days, inclusive. The last day defaults to today, the first to {@link shownDays} days up to it.
 *
 * @param options.now Unix milliseconds.
 * @throws {ServiceError} with the given code if a day does not exist or the first is after the last.
 */
export function readUsageSpan(
  query: { readonly from?: unknown; readonly to?: unknown },
  { now, code }: { readonly now: number; readonly code: ErrorCode },
): { readonly from: string; readonly to: string } {
  const read = (name: 'from' | 'to', fallback: number): string => {
    const text = query[name] ?? dayOf(fallback)
    if (isDay(text)) return text
    throw new ServiceError(code, `\`${name}\` must be an existing UTC day, such as 2026-11-22.`, { param: name })
  }
  const to = read('to', now)
  const from = read('from', Date.parse(to) - (shownDays - 1) * dayMs)
  if (from <= to) return { from, to }
  throw new ServiceError(code, `\`from\` must not come after \`to\`; ${from} is after ${to}.`, { param: 'from' })
}

/** Rejects days such as 2026-02-31, which `Date` would read as 3 March. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = Date.parse(value)
  return !Number.isNaN(at) && dayOf(at) === value
}

function dayOf(at: number): string {
  return new Date(Math.max(at, 0)).toISOString().slice(0, 10)
}
