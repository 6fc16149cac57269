import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check } from '../../parts/fields/check.tsx'
import { Slider } from '../../parts/fields/slider.tsx'
import { maskDataUrl, paintStroke, restoreMask } from './mask-canvas.ts'
import { type StartingImage, startingImage } from './starting-image.ts'

/** Paints over the part of a picture that is to change. */
export function MaskPainter({ start, onClose }: { start: StartingImage; onClose: () => void }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSignal(12)
  const erase = useSignal(false)
  const last = useRef<{ x: number; y: number } | null>(null)
  useEffect(() => {
    if (canvas.current && start.mask) void restoreMask(canvas.current, start.mask)
  }, [])
  const paint = (event: PointerEvent) => {
    const element = canvas.current
    if (!element || event.buttons === 0) return
    const box = element.getBoundingClientRect()
    const to = { x: ((event.clientX - box.left) / box.width) * start.width, y: ((event.clientY - box.top) / box.height) * start.height }
    const width = (size.value / 100) * Math.max(start.width, start.height)
    paintStroke(element, { from: last.current ?? to, to, width, erase: erase.value })
    last.current = to
  }
  const use = () => {
    if (canvas.current) startingImage.value = { ...start, mask: maskDataUrl(canvas.current) }
    onClose()
  }
  return (
    <Dialog title="Paint what should change" onClose={onClose} large>
      <div class="painter">
        <div class="painter-stage">
          <img src={start.url} alt="" />
          <canvas
            ref={canvas}
            width={start.width}
            height={start.height}
            aria-label="The mask, painted with a pointer"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId)
              last.current = null
              paint(event)
            }}
            onPointerMove={paint}
          />
        </div>
        <Slider
          label="Brush"
          hint="percent of the picture"
          value={size.value}
          min={1}
          max={40}
          step={1}
          standard={12}
          onChange={(next) => {
            size.value = next
          }}
        />
        <div class="row between">
          <Check
            label="Erase"
            checked={erase.value}
            onChange={(checked) => {
              erase.value = checked
            }}
          />
          <div class="row">
            <Button tone="quiet" onClick={() => canvas.current?.getContext('2d')?.clearRect(0, 0, start.width, start.height)}>
              Clear
            </Button>
            <Button tone="primary" onClick={use}>
              Use this mask
            </Button>
          </div>
        </div>
      </div>
    </Dialog>
  )
}
