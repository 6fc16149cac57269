import { type ErrorCode, ServiceError } from './error.ts'

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
  asked: { readonly from?: unknown; readonly to?: unknown },
  { now, code }: { readonly now: number; readonly code: ErrorCode },
): { readonly from: string; readonly to: string } {
  const read = (name: 'from' | 'to', fallback: number): string => {
    const text = asked[name] ?? dayOf(fallback)
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
