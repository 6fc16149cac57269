import type { UsageDay } from '../../../../core/usage.ts'

/** One model's amounts, one per day. */
export interface UsageSeries {
  readonly name: string
  readonly amounts: readonly number[]
}

const maxSeries = 4
const dayMs = 24 * 60 * 60 * 1000

/** The last `count` UTC days up to and with today, oldest first, as `YYYY-MM-DD`. */
export function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10))
}

/** Sums rows per model and day, largest model first; what is beyond the fourth is summed up as “others”. */
export function usageSeries(days: readonly string[], rows: readonly UsageDay[], count: (row: UsageDay) => number): readonly UsageSeries[] {
  const names = [...new Set(rows.map((row) => row.model))]
  const all = names
    .map((name) => {
      const own = rows.filter((row) => row.model === name)
      return { name, amounts: days.map((day) => own.filter((row) => row.day === day).reduce((sum, row) => sum + count(row), 0)) }
    })
    .filter((series) => sumOf(series) > 0)
    .toSorted((a, b) => sumOf(b) - sumOf(a))
  if (all.length <= maxSeries) return all
  const rest = all.slice(maxSeries - 1)
  const others = { name: 'others', amounts: days.map((_, day) => rest.reduce((sum, series) => sum + (series.amounts[day] ?? 0), 0)) }
  return [...all.slice(0, maxSeries - 1), others]
}

function sumOf(series: UsageSeries): number {
  return series.amounts.reduce((sum, amount) => sum + amount, 0)
}
