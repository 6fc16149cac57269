import type { VNode } from 'preact'
import type { UsageSeries } from './usage-series.ts'

const width = 0.68

interface BarProps {
  /** Which slot of the chart, each one unit wide. */
  readonly x: number
  /** Each part with its height, bottom first, out of 100. */
  readonly parts: readonly { readonly shade: UsageSeries['shade']; readonly height: number }[]
  /** Whether its figures are being read. */
  readonly isRead: boolean
}

/** A stack of parts; its whole slot is marked while its figures are read. */
export function Bar({ x, parts, isRead }: BarProps): VNode {
  return (
    <g>
      <rect class={isRead ? 'hit read' : 'hit'} x={x} y="0" width="1" height="100" />
      {parts.map(({ shade, height }, place) => {
        const below = parts.slice(0, place).reduce((sum, each) => sum + each.height, 0)
        return height > 0 ? (
          <rect
            // A part keeps its place in the stack.
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
