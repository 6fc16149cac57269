import type { VNode } from 'preact'
import type { ServiceHealth } from '../../../contract/service.ts'
import { decimalText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { figuresOf, type LiveFigures } from './live-figures.ts'

/** Number of stored readings: two minutes at one every three seconds. */
export const maxReadings = 41

interface Figure {
  readonly term: string
  readonly read: (figures: LiveFigures) => number | null
  readonly show: (value: number) => string
  /** Whether one reading gives it; the others are measured between two. */
  readonly isMomentary?: true
}

const figures: readonly Figure[] = [
  { term: t`Tokens/s`, read: ({ tokensPerSecond }) => tokensPerSecond, show: (value) => decimalText(value, 1) },
  { term: t`Answers begin after`, read: ({ firstTokenMs }) => firstTokenMs, show: durationText },
  { term: t`Time per image step`, read: ({ stepMs }) => stepMs, show: durationText },
  { term: t`Requests a second`, read: ({ requestsPerSecond }) => requestsPerSecond, show: (value) => decimalText(value, 1) },
  { term: t`Running`, read: ({ inUse }) => inUse, show: String, isMomentary: true },
  { term: t`Waiting`, read: ({ waiting }) => waiting, show: String, isMomentary: true },
  { term: t`Longest wait`, read: ({ queuedMs }) => queuedMs, show: durationText, isMomentary: true },
  { term: t`Total memory`, read: ({ memoryBytes }) => memoryBytes, show: byteText, isMomentary: true },
]

/** The current figures of all nodes, each with its last two minutes. */
export function LiveBoard({ readings }: { readings: readonly ServiceHealth[] }): VNode {
  const spans = readings.slice(1).map((_, index) => figuresOf(readings.slice(0, index + 2)))
  return (
    <dl class="live-board">
      {figures.map(({ term, read, show, isMomentary = false }) => {
        // A figure without recent events keeps its last value.
        const values = spans.map(read)
        const newest = isMomentary ? read(figuresOf(readings)) : values.findLast((value) => value !== null)
        return (
          <div class="sheet" key={term}>
            <dt>{term}</dt>
            <dd>
              {newest === undefined ? (spans.length === 0 ? '…' : '–') : show(newest ?? 0)}
              <Sparkline values={values.map((value) => value ?? 0)} slots={maxReadings - 1} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** The last values of a figure as a line, oldest first. The newest is shown beside it as a number. */
function Sparkline({ values, slots }: { values: readonly number[]; slots: number }): VNode {
  const highest = Math.max(...values, 1e-9)
  const points = values.map((value, index) => `${slots - values.length + index},${(1 - value / highest) * 100}`)
  return (
    <svg class="sparkline" viewBox={`0 -4 ${slots - 1} 108`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>
  )
}
