import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { compactText, shortDayText, weekdayHourText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Clipped } from '../../parts/clipped.tsx'
import { scaleTop, type UsageSeries } from './usage-series.ts'

const dayLabels = 6
const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
}

interface StackedBarsProps {
  readonly title: string
  /** `YYYY-MM-DD`, or hours as `YYYY-MM-DDTHH`, oldest first. */
  readonly days: readonly string[]
  readonly series: readonly UsageSeries[]
}

/** One bar per day or hour. Pointer and arrow keys show the figures of a day; the table below has all of them. */
export function StackedBars({ title, days, series }: StackedBarsProps): VNode | null {
  const read = useSignal<number | null>(null)
  if (series.length === 0) return null
  const sums = days.map((_, day) => series.reduce((sum, each) => sum + (each.amounts[day] ?? 0), 0))
  const highest = scaleTop(Math.max(...sums))
  const everyLabel = Math.ceil(days.length / dayLabels)
  const last = days.length - 1
  const figuresOf = (day: number) => series.flatMap(({ amounts, ...each }) => (amounts[day] ? [{ ...each, amount: amounts[day] }] : []))
  const textOf = (day: number) =>
    [
      `${timeText(days[day] ?? '')}: ${wholeText(sums[day] ?? 0)}`,
      ...figuresOf(day).map(({ name, amount }) => `${name} ${wholeText(amount)}`),
    ].join(', ')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') read.value = null
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    read.value = Math.min(last, Math.max(0, step(read.value ?? last, last)))
  }
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent) => {
    if (!(currentTarget instanceof Element)) return
    const { left, width } = currentTarget.getBoundingClientRect()
    read.value = Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * days.length)))
  }
  const shown = read.value
  return (
    <figure class="sheet chart">
      <figcaption class="row between">
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ key, name, shade }) => (
            <li key={key}>
              <i class={`shade-${shade}`} />
              <Clipped text={name} />
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot">
        <div class="plot-scale" aria-hidden="true">
          {[highest, highest / 2, 0].map((amount) => (
            <span key={amount}>{compactText(amount)}</span>
          ))}
        </div>
        <div
          class="plot-reader"
          role="slider"
          tabIndex={0}
          aria-label={isHour(days[0] ?? '') ? t`${title} per hour` : t`${title} per day`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={shown ?? last}
          aria-valuetext={textOf(shown ?? last)}
          onKeyDown={onKeyDown}
          onFocus={() => (read.value ??= last)}
          onBlur={() => (read.value = null)}
          onPointerMove={onPointerMove}
          onPointerLeave={() => (read.value = null)}
        >
          <svg viewBox={`0 0 ${days.length} 100`} preserveAspectRatio="none" aria-hidden="true">
            {[0, 50, 100].map((y) => (
              <line key={y} class="grid-line" x1="0" x2={days.length} y1={y} y2={y} vector-effect="non-scaling-stroke" />
            ))}
            {days.map((day, index) => (
              <Bar
                key={day}
                x={index}
                isRead={shown === index}
                parts={series.map(({ shade, amounts }) => ({ shade, height: ((amounts[index] ?? 0) / highest) * 100 }))}
              />
            ))}
          </svg>
          {shown === null ? null : (
            <div class="plot-tip" style={tipPlace(shown, days.length)} aria-hidden="true">
              <strong>
                {timeText(days[shown] ?? '')}: {wholeText(sums[shown] ?? 0)}
              </strong>
              <dl>
                {figuresOf(shown).map(({ key, name, shade, amount }) => (
                  <div key={key}>
                    <i class={`model-dot shade-${shade}`} />
                    <dt>{name}</dt>
                    <dd>{wholeText(amount)}</dd>
                  </div>
                ))}
              </dl>
            </div>
          )}
        </div>
        <div class="plot-days" aria-hidden="true">
          {days.map((day, index) =>
            (last - index) % everyLabel === 0 ? (
              <span key={day} style={labelPlace(index, days.length)}>
                {timeText(day)}
              </span>
            ) : null,
          )}
        </div>
      </div>
    </figure>
  )
}

/** On the side of the bar that has room. */
function tipPlace(day: number, days: number): Record<string, string> {
  const part = (day + 0.5) / days
  return part < 0.5 ? { left: `${part * 100}%` } : { right: `${(1 - part) * 100}%` }
}

/** Below the middle of its bar; the newest is aligned with the chart's end. */
function labelPlace(day: number, days: number): Record<string, string> {
  return day === days - 1 ? { right: '0', transform: 'none' } : { left: `${((day + 0.5) / days) * 100}%` }
}

function isHour(time: string): boolean {
  return time.includes('T')
}

function timeText(time: string): string {
  return isHour(time) ? weekdayHourText(time) : shortDayText(time)
}

const width = 0.68

interface BarProps {
  /** Index of the slot; each is one unit wide. */
  readonly x: number
  /** Each part with its height out of 100, bottom first. */
  readonly parts: readonly { readonly shade: UsageSeries['shade']; readonly height: number }[]
  /** Whether its figures are shown. */
  readonly isRead: boolean
}

/** A stack of parts. The whole slot is highlighted while its figures are shown. */
function Bar({ x, parts, isRead }: BarProps): VNode {
  return (
    <g>
      <rect class={isRead ? 'hit read' : 'hit'} x={x} y="0" width="1" height="100" />
      {parts.map(({ shade, height }, place) => {
        const below = parts.slice(0, place).reduce((sum, each) => sum + each.height, 0)
        return height > 0 ? (
          <rect
            // A part keeps its position in the stack.
            key={`part ${place}`}
            class={`shade-${shade}`}
            x={x + (1 - width) / 2}
            y={100 - below - height}
            width={width}
            height={height}
          />
        ) : null
      })}
    </g>
  )
}
