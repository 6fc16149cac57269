import type { VNode } from 'preact'
import { Bar } from './bar.tsx'
import { scaleTop } from './scale-top.ts'
import type { UsageSeries } from './usage-series.ts'

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })
const dayText = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayLabels = 6

interface StackedBarsProps {
  readonly title: string
  /** `YYYY-MM-DD`, oldest first. */
  readonly days: readonly string[]
  readonly series: readonly UsageSeries[]
}

/** One bar per day, stacked by model. The same numbers stand in the table below it. */
export function StackedBars({ title, days, series }: StackedBarsProps): VNode | null {
  if (series.length === 0) return null
  const sums = days.map((_, day) => series.reduce((sum, each) => sum + (each.amounts[day] ?? 0), 0))
  const highest = scaleTop(Math.max(...sums))
  const everyLabel = Math.ceil(days.length / dayLabels)
  return (
    <figure class="sheet chart">
      <figcaption class="row between">
        <h2>{title}</h2>
        <ul class="legend">
          {series.map((each, index) => (
            <li key={each.name}>
              <i class={`shade-${index}`} />
              {each.name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot">
        <div class="plot-scale" aria-hidden="true">
          {[highest, highest / 2, 0].map((amount) => (
            <span key={amount}>{compact.format(amount)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${days.length} 100`} preserveAspectRatio="none" role="img">
          <title>{`${title} per day, ${days[0]} to ${days.at(-1)}; the table below has the numbers`}</title>
          {[0, 50, 100].map((y) => (
            <line key={y} class="grid-line" x1="0" x2={days.length} y1={y} y2={y} vector-effect="non-scaling-stroke" />
          ))}
          {days.map((day, index) => (
            <Bar
              key={day}
              label={`${dayText.format(Date.parse(day))}: ${compact.format(sums[index] ?? 0)}`}
              x={index}
              heights={series.map((each) => ((each.amounts[index] ?? 0) / highest) * 100)}
            />
          ))}
        </svg>
        <div class="plot-days" aria-hidden="true">
          {days.map((day, index) =>
            (days.length - 1 - index) % everyLabel === 0 ? (
              <span key={day} style={{ left: `${((index + 0.5) / days.length) * 100}%` }}>
                {dayText.format(Date.parse(day))}
              </span>
            ) : null,
          )}
        </div>
      </div>
    </figure>
  )
}
