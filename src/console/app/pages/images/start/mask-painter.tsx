import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { bindChecked } from '../../../parts/fields/bind.ts'
import { Check } from '../../../parts/fields/check.tsx'
import { Slider } from '../../../parts/fields/slider.tsx'
import { announce, showToast } from '../../../state/toasts.ts'
import { ImageSlider } from '../form/image-slider.tsx'
import { MaskBoard } from './mask-board.tsx'
import { drawMarks, maskDataUrl, readMask } from './mask-canvas.ts'
import { addMark, type Mark, type MaskHistory, noMarks, redoMark, undoMark } from './mask-history.ts'
import { type StartingImage, startingImage } from './starting-image.ts'

const brushRange = { min: 1, max: 40, step: 1 } as const

/** Paints the mask of a picture. */
export function MaskPainter({ start, onClose }: { start: StartingImage; onClose: () => void }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const base = useRef<HTMLCanvasElement | null>(null)
  const size = useSignal(12)
  const erase = useSignal(false)
  const history = useSignal(noMarks)
  const taken = useRef(false)
  const help = useId()
  const redraw = () => {
    const element = canvas.current
    if (!element) return
    drawMarks(element, [{ type: 'clear' }])
    if (base.current) element.getContext('2d')?.drawImage(base.current, 0, 0)
    drawMarks(element, history.value.done)
  }
  useEffect(() => {
    if (start.mask === null) return
    void readMask(start.mask, start).then((earlier) => {
      base.current = earlier
      redraw()
    })
  }, [])
  // The keys below the picture work at once; in the first field, arrows would change the brush.
  useLayoutEffect(() => canvas.current?.focus(), [])
  const go = (next: MaskHistory) => {
    history.value = next
    redraw()
  }
  const add = (mark: Mark) => go(addMark(history.value, mark))
  const undo = () => {
    announce(history.value.done.length === 0 ? t`Nothing to undo.` : t`Undone.`)
    go(undoMark(history.value))
  }
  const redo = () => {
    announce(history.value.undone.length === 0 ? t`Nothing to redo.` : t`Redone.`)
    go(redoMark(history.value))
  }
  const resize = (next: number) => {
    size.value = next
    announce(t`Brush: ${next} percent of the image`)
  }
  const take = () => {
    if (canvas.current) startingImage.value = { ...start, mask: maskDataUrl(canvas.current) }
  }
  const close = () => {
    // Asks first: Escape is pressed easily, and painting takes long.
    if (history.value.done.length > 0 && !taken.current) {
      take()
      const run = () => {
        startingImage.value = start
      }
      showToast(t`Your mask is saved.`, { label: t`Discard`, run })
    }
    onClose()
  }
  const pressed = (event: KeyboardEvent) => {
    const command = event.ctrlKey || event.metaKey
    if (command && event.key.toLowerCase() === 'z') event.shiftKey ? redo() : undo()
    else if (command && event.key.toLowerCase() === 'y') redo()
    else if (event.target instanceof HTMLInputElement || command) return
    else if (event.key === '[') resize(Math.max(brushRange.min, size.value - 2))
    else if (event.key === ']') resize(Math.min(brushRange.max, size.value + 2))
    else if (event.key.toLowerCase() === 'e') {
      erase.value = !erase.value
      announce(erase.value ? t`The brush erases.` : t`The brush paints.`)
    } else return
    event.preventDefault()
  }
  return (
    <Dialog title={t`Paint what should change`} onClose={close} large>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys for whatever inside has the focus */}
      <div class="painter" onKeyDown={pressed}>
        <MaskBoard start={start} canvas={canvas} size={size} erase={erase} onMark={add} describedBy={help} />
        <p
          class="field-hint"
          id={help}
        >{t`Keys: arrows move the brush (with Shift further), holding Space paints, E erases, [ and ] change the brush, Ctrl+Z undoes.`}</p>
        <div class="pair">
          <Slider
            label={t`Brush`}
            hint={t`percent of the image`}
            value={size.value}
            {...brushRange}
            standard={12}
            onChange={(next) => {
              size.value = Number.isFinite(next) ? next : size.value
            }}
          />
          <ImageSlider name="feather" label={t`Feather`} hint={t`pixels to each side`} />
        </div>
        <div class="row between">
          <div class="row">
            <Check label={t`Erase`} {...bindChecked(erase)} />
            <Button tone="quiet" icon="undo" iconOnly disabled={history.value.done.length === 0} onClick={undo}>{t`Undo`}</Button>
            <Button tone="quiet" icon="redo" iconOnly disabled={history.value.undone.length === 0} onClick={redo}>{t`Redo`}</Button>
            <Button tone="quiet" onClick={() => add({ type: 'fill' })}>{t`Everything`}</Button>
            <Button tone="quiet" onClick={() => add({ type: 'invert' })}>{t`Invert`}</Button>
            <Button tone="quiet" onClick={() => add({ type: 'clear' })}>{t`Clear`}</Button>
          </div>
          <Button
            tone="primary"
            onClick={() => {
              take()
              taken.current = true
              onClose()
            }}
          >{t`Use this mask`}</Button>
        </div>
      </div>
    </Dialog>
  )
}
