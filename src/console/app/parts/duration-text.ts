import { dayMs } from '../../../core/ports/clock.ts'
import { decimalText } from '../language/formats.ts'
import { t } from '../language/t.ts'

/** Longer times are given in days. */
const inDaysMs = 2 * dayMs

/** A duration in its largest unit: `840 ms`, `12.3 s`, `5 min`, `3 h`, `12 days`. A number and its abbreviated unit stay on one line. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`
  if (ms < 60_000) {
    const decimals = ms < 10_000 ? 2 : 1
    return `${decimalText(ms / 1000, decimals, decimals)}\u00a0s`
  }
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)}\u00a0min`
  if (ms < inDaysMs) return `${Math.round(ms / 3_600_000)}\u00a0h`
  return t.count(Math.round(ms / dayMs), { one: '# day', other: '# days' })
}

/**
 * A relative time: `5 min ago`, `in 12 days`.
 *
 * @param ms Negative for the past.
 */
export function distanceText(ms: number): string {
  if (ms > -inDaysMs && ms < inDaysMs) return ms < 0 ? t`${durationText(-ms)} ago` : t`in ${durationText(ms)}`
  // In German, days have another form after these words.
  const days = Math.round(Math.abs(ms) / dayMs)
  return ms < 0 ? t.count(days, { one: '# day ago', other: '# days ago' }) : t.count(days, { one: 'in # day', other: 'in # days' })
}
