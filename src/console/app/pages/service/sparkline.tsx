import type { VNode } from 'preact'

/** The last values of a figure as a line, oldest first; the figure beside it says the newest. */
export function Sparkline({ values, slots }: { values: readonly number[]; slots: number }): VNode {
  const highest = Math.max(...values, 1e-9)
  const points = values.map((value, index) => `${slots - values.length + index},${(1 - value / highest) * 100}`)
  return (
    <svg class="sparkline" viewBox={`0 -4 ${slots - 1} 108`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>
  )
}
