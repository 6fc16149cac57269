import { type ErrorCode, ServiceError } from './error.ts'
import type { LatencyHistogram } from './limits/latency.ts'

/** One finished request in the books; never its content. */
export interface UsageEntry {
  readonly accountId: string
  readonly tokenId: string | null
  readonly model: string
  readonly kind: 'chat' | 'completion' | 'embedding' | 'rerank' | 'image'
  /** `refused` by a limit of the account or the token. */
  readonly outcome: 'succeeded' | 'failed' | 'cancelled' | 'refused'
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** At the price of that time, in millionths of the unit that prices are in; 0 where the model had none. */
  readonly cost: number
  readonly durationMs: number
  /** Until the first token was written; null where none was. */
  readonly firstTokenMs: number | null
  /** Unix milliseconds. */
  readonly at: number
}

const limitCodes: readonly ErrorCode[] = ['rate_limit_exceeded', 'concurrency_limit_exceeded', 'quota_exceeded']

/** What the books call a failure: one for a limit is a refusal. */
export function outcomeOfFailure(code: ErrorCode | null): 'failed' | 'refused' {
  return code !== null && limitCodes.includes(code) ? 'refused' : 'failed'
}

/** What is summed up. */
export interface UsageCounts {
  readonly requests: number
  readonly failures: number
  /** Those that a limit of the account or the token refused. */
  readonly refusals: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
  /** In millionths. */
  readonly cost: number
}

/** Sums of one UTC day, account and model. */
export interface UsageDay extends UsageCounts {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly accountId: string
  readonly model: string
}

/** What sums of usage can be grouped by; an hour is written `2026-11-23T09`, UTC. */
export const usageDimensions = ['account', 'token', 'model', 'day', 'hour'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** Days for which sums of hours are kept; those of days stay. */
const hoursKeptDays = 31

/** The first day, as `YYYY-MM-DD`, whose hours are kept. */
export function firstHourDay(now: number): string {
  return new Date(now - hoursKeptDays * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

/** Which sums of usage are asked for. */
export interface UsageQuestion {
  /** null = everybody's. */
  readonly accountId: string | null
  /** UTC days, both included. */
  readonly from: string
  readonly to: string
  /** Without any, all is one sum. */
  readonly by: readonly UsageDimension[]
}

/** One sum, with the latencies of what it counts. */
export interface UsageSum extends UsageCounts {
  /** A value for each dimension asked for; a token's is empty for signed-in browsers and for what was booked before tokens were noted. */
  readonly keys: Readonly<Partial<Record<UsageDimension, string>>>
  /** Of whole requests. */
  readonly latency: LatencyHistogram
  /** Until the first token. */
  readonly firstToken: LatencyHistogram
}

/** The key of a sum as text, the same for the same values. */
export function keyOfSum(by: readonly UsageDimension[], keys: UsageSum['keys']): string {
  return JSON.stringify(by.map((dimension) => keys[dimension] ?? ''))
}

const dayMs = 24 * 60 * 60 * 1000
/** Days that are shown where nobody names any, the last among them. */
const shownDays = 30

/**
 * The UTC days that are asked for, both included. Without a last day it is today, without a first the thirtieth before it.
 *
 * @param options.now Unix milliseconds.
 * @throws {ServiceError} with the code given, for what is no day of the calendar and where the first comes after the last.
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

/** 2026-02-31 is written like a day, but is read as the third of March. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = Date.parse(value)
  return !Number.isNaN(at) && dayOf(at) === value
}

function dayOf(at: number): string {
  return new Date(Math.max(at, 0)).toISOString().slice(0, 10)
}
