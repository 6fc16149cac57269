import type { VNode } from 'preact'
import { scaleTop } from './scale-top.ts'
import type { UsageSeries } from './usage-series.ts'

const width = 720
const height = 208
const left = 46
const bottom = 24
const top = 8
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })
const dayText = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** One bar per day, stacked by model. The same numbers stand in the table below it. */
export function StackedBars({
  title,
  days,
  series,
}: {
  title: string
  days: readonly string[]
  series: readonly UsageSeries[]
}): VNode | null {
  if (series.length === 0) return null
  const sums = days.map((_, day) => series.reduce((sum, each) => sum + (each.amounts[day] ?? 0), 0))
  const highest = scaleTop(Math.max(...sums))
  const slot = (width - left) / days.length
  const y = (amount: number) => top + (height - top - bottom) * (1 - amount / highest)
  const everyLabel = Math.ceil(days.length / 7)
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
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img">
        <title>{`${title} per day, from ${days[0]} to ${days.at(-1)}; the table below has the numbers`}</title>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line class="grid-line" x1={left} x2={width} y1={y(highest * part)} y2={y(highest * part)} />
            <text x={left - 8} y={y(highest * part) + 4} text-anchor="end">
              {compact.format(highest * part)}
            </text>
          </g>
        ))}
        {days.map((day, index) => (
          <Bar key={day} day={day} index={index} series={series} x={left + index * slot} slot={slot} y={y} sum={sums[index] ?? 0} />
        ))}
        {days.map((day, index) =>
          index % everyLabel === 0 ? (
            <text key={day} x={left + (index + 0.5) * slot} y={height - 6} text-anchor="middle">
              {dayText.format(Date.parse(day))}
            </text>
          ) : null,
        )}
      </svg>
    </figure>
  )
}

interface BarProps {
  readonly day: string
  readonly index: number
  readonly series: readonly UsageSeries[]
  readonly x: number
  readonly slot: number
  readonly y: (amount: number) => number
  readonly sum: number
}

function Bar({ day, index, series, x, slot, y, sum }: BarProps): VNode {
  const bar = Math.min(slot * 0.68, 34)
  let base = 0
  return (
    <g>
      <rect class="hit" x={x} y={top} width={slot} height={height - top - bottom}>
        <title>
          {dayText.format(Date.parse(day))}: {sum}
        </title>
      </rect>
      {series.map((each, shade) => {
        const amount = each.amounts[index] ?? 0
        const from = base
        base += amount
        return amount > 0 ? (
          <rect
            key={each.name}
            class={`shade-${shade}`}
            pointer-events="none"
            x={x + (slot - bar) / 2}
            y={y(base)}
            width={bar}
            height={Math.max(1, y(from) - y(base))}
            rx="2"
          />
        ) : null
      })}
    </g>
  )
}
