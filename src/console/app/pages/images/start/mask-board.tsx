import { type Signal, useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../../language/t.ts'
import { drawMarks } from './mask-canvas.ts'
import type { Mark, Point } from './mask-history.ts'
import type { StartingImage } from './starting-image.ts'

interface MaskBoardProps {
  readonly start: StartingImage
  readonly canvas: RefObject<HTMLCanvasElement | null>
  /** Percent of the picture's longest side. */
  readonly size: Signal<number>
  readonly erase: Signal<boolean>
  readonly onMark: (mark: Mark) => void
  /** Id of the description of the keys. */
  readonly describedBy: string
}

/** Steps of the brush with arrow keys, and with Shift, as shares of the picture. */
const [smallStep, largeStep] = [0.02, 0.1]

/** The image with its mask, painted with a pointer or keys. */
export function MaskBoard({ start, canvas, size, erase, onMark, describedBy }: MaskBoardProps): VNode {
  const longest = Math.max(start.width, start.height)
  const brush = useSignal<Point | null>(null)
  const spoken = useSignal('')
  const stroke = useRef<Point[] | null>(null)
  const width = (size.value / 100) * longest
  const extend = (to: Point) => {
    const points = stroke.current
    if (points === null || canvas.current === null) return
    const from = points.at(-1) ?? to
    points.push(to)
    drawMarks(canvas.current, [{ type: 'stroke', points: [from, to], width, erase: erase.value }])
  }
  const end = () => {
    const points = stroke.current
    stroke.current = null
    if (points && points.length > 0) onMark({ type: 'stroke', points, width, erase: erase.value })
  }
  // A stroke in progress is finished when the board is closed.
  useEffect(() => end, [])
  const placeOf = (event: PointerEvent): Point => {
    const box = canvas.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1)
    return { x: ((event.clientX - box.left) / box.width) * start.width, y: ((event.clientY - box.top) / box.height) * start.height }
  }
  const move = (event: KeyboardEvent) => {
    const by = (event.shiftKey ? largeStep : smallStep) * longest
    const at = brush.value ?? { x: start.width / 2, y: start.height / 2 }
    const [across, down] = [
      Number(event.key === 'ArrowRight') - Number(event.key === 'ArrowLeft'),
      Number(event.key === 'ArrowDown') - Number(event.key === 'ArrowUp'),
    ]
    brush.value = {
      x: Math.min(start.width, Math.max(0, at.x + across * by)),
      y: Math.min(start.height, Math.max(0, at.y + down * by)),
    }
    extend(brush.value)
    const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)} %`
    spoken.value = t`${percent(brush.value.x, start.width)} across, ${percent(brush.value.y, start.height)} down`
  }
  return (
    <div class="painter-stage" style={{ '--ratio': String(start.width / start.height) }}>
      <img src={start.url} alt="" />
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a screen reader must pass the arrow keys on to the brush */}
      <canvas
        ref={canvas}
        width={start.width}
        height={start.height}
        tabIndex={0}
        role="application"
        aria-label={t`The mask`}
        aria-describedby={describedBy}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          stroke.current = []
          brush.value = placeOf(event)
          extend(brush.value)
        }}
        onPointerMove={(event) => {
          brush.value = placeOf(event)
          extend(brush.value)
        }}
        onPointerUp={end}
        onPointerCancel={end}
        onPointerLeave={() => {
          if (document.activeElement !== canvas.current) brush.value = null
        }}
        onFocus={() => {
          brush.value ??= { x: start.width / 2, y: start.height / 2 }
        }}
        onBlur={() => {
          end()
          brush.value = null
        }}
        onKeyDown={(event) => {
          if (event.key.startsWith('Arrow')) {
            event.preventDefault()
            move(event)
          } else if (event.key === ' ') {
            event.preventDefault()
            if (stroke.current !== null || brush.value === null) return
            stroke.current = []
            extend(brush.value)
          }
        }}
        onKeyUp={(event) => {
          if (event.key === ' ') end()
        }}
      />
      {brush.value === null ? null : (
        <span
          class="brush"
          style={{
            left: `${(brush.value.x / start.width) * 100}%`,
            top: `${(brush.value.y / start.height) * 100}%`,
            width: `${(width / start.width) * 100}%`,
          }}
        />
      )}
      <span class="hidden-text" aria-live="polite">
        {spoken.value}
      </span>
    </div>
  )
}
