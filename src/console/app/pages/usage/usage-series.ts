import { dayMs, hourMs } from '../../../../core/ports/clock.ts'
import type { UsageDay } from '../../../../core/usage.ts'
import { t } from '../../language/t.ts'

/** One part of the bars: the sums of a model or a person. */
export interface UsageSeries {
  /** Id of the model or the account; `others` for those beyond the limit. */
  readonly key: string
  /** Display name. */
  readonly name: string
  /** The colour's name in the style sheet. */
  readonly shade: number | 'others'
  readonly amounts: readonly number[]
}

/** The grouping of rows. */
export interface SeriesOf {
  readonly key: (row: UsageDay) => string
  readonly name: (key: string) => string
  readonly shade: (key: string) => number
  /** Returns an account's name when the rows of several people are shown; null = only the user's own. */
  readonly person: ((accountId: string) => string) | null
}

const maxSeries = 8

/** The last `count` UTC days including today, oldest first, as `YYYY-MM-DD`. */
export function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10))
}

/** The last 24 hours including this one, oldest first, as `2026-11-23T09`, UTC. */
export function lastHours(now: number): readonly string[] {
  return Array.from({ length: 24 }, (_, index) => new Date(now - (23 - index) * hourMs).toISOString().slice(0, 13))
}

/** Sums rows per series and day, the largest series first. All after the eighth are combined as others. */
export function usageSeries(
  days: readonly string[],
  rows: readonly UsageDay[],
  count: (row: UsageDay) => number,
  { key, name, shade }: Pick<SeriesOf, 'key' | 'name' | 'shade'>,
): readonly UsageSeries[] {
  const place = new Map(days.map((day, index) => [day, index]))
  const sums = new Map<string, number[]>()
  for (const row of rows) {
    const index = place.get(row.day)
    if (index === undefined) continue
    const amounts = sums.get(key(row)) ?? days.map(() => 0)
    amounts[index] = (amounts[index] ?? 0) + count(row)
    sums.set(key(row), amounts)
  }
  const all = [...sums]
    .map(([id, amounts]) => ({ key: id, name: name(id), shade: shade(id), amounts }))
    .filter((series) => sumOf(series) > 0)
    .toSorted((a, b) => sumOf(b) - sumOf(a))
  if (all.length <= maxSeries) return all
  const rest = all.slice(maxSeries - 1)
  const others = days.map((_, day) => rest.reduce((sum, { amounts }) => sum + (amounts[day] ?? 0), 0))
  return [...all.slice(0, maxSeries - 1), { key: 'others', name: t`others`, shade: 'others', amounts: others }]
}

function sumOf({ amounts }: Pick<UsageSeries, 'amounts'>): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}

/** The end of an axis: the next 1, 2, 4, 6, 8 or 10 times a power of ten, so that its half is round too. */
export function scaleTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= highest) ?? 10
  return Math.max(2, step * power)
}
