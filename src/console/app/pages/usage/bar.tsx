import type { VNode } from 'preact'

const width = 0.68

interface BarProps {
  readonly label: string
  /** Which slot of the chart, each one unit wide. */
  readonly x: number
  /** Of each part, bottom first, out of 100. */
  readonly heights: readonly number[]
}

/** A stack of parts; the whole slot answers the pointer with its label. */
export function Bar({ label, x, heights }: BarProps): VNode {
  return (
    <g>
      <rect class="hit" x={x} y="0" width="1" height="100">
        <title>{label}</title>
      </rect>
      {heights.map((height, shade) => {
        const below = heights.slice(0, shade).reduce((sum, each) => sum + each, 0)
        return height > 0 ? (
          <rect
            // A part keeps its place in the stack.
            key={`part ${shade}`}
            class={`shade-${shade}`}
            pointer-events="none"
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
