import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Segments } from '../../../parts/fields/segments.tsx'
import { Slider } from '../../../parts/fields/slider.tsx'
import { imageSettings } from '../form/image-settings.ts'
import { sizeFault } from '../form/size-choices.ts'
import { SizePicker } from '../form/size-picker.tsx'
import { extendPicture, type FramePlace, fillsFrame, placeInFrame } from './extend-frame.ts'
import { type StartingImage, startingImage } from './starting-image.ts'

const across = [
  { value: 'left', label: t`Left` },
  { value: 'middle', label: t`Middle` },
  { value: 'right', label: t`Right` },
] as const
const down = [
  { value: 'top', label: t`Top` },
  { value: 'middle', label: t`Middle` },
  { value: 'bottom', label: t`Bottom` },
] as const

/** Places a picture in a larger frame, whose empty part is drawn. */
export function ExtendDialog({ start, model, onClose }: { start: StartingImage; model: ConsoleImageModel; onClose: () => void }): VNode {
  const place = useSignal<FramePlace>({ scale: 70, across: 'middle', down: 'middle' })
  const { width, height } = imageSettings.value
  const frame = { width, height }
  const scale = Math.min(100, Math.max(20, place.value.scale || 70))
  const box = placeInFrame(start, frame, { ...place.value, scale })
  const change = (next: Partial<FramePlace>) => {
    place.value = { ...place.value, ...next }
  }
  const isFrame = sizeFault(frame, model) === null
  const use = async () => {
    startingImage.value = await extendPicture(start, frame, box)
    onClose()
  }
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`
  return (
    <Dialog title={t`Extend the image`} onClose={onClose} large>
      <div class="extend">
        <div class="extend-frame" style={{ aspectRatio: isFrame ? `${width} / ${height}` : '1' }}>
          {isFrame ? (
            <img
              src={start.url}
              alt={t`The part that stays, in its new frame`}
              style={{
                left: share(box.left, width),
                top: share(box.top, height),
                width: share(box.width, width),
                height: share(box.height, height),
              }}
            />
          ) : null}
        </div>
        <div class="stack">
          <p class="soft">{t`The empty part of the frame is drawn; the image stays.`}</p>
          <SizePicker model={model} />
          <Slider
            label={t`Image`}
            hint={t`percent of the largest that fits`}
            value={place.value.scale}
            min={20}
            max={100}
            step={1}
            standard={70}
            onChange={(next) => change({ scale: next })}
          />
          <div class="row">
            <Segments label={t`Across`} value={place.value.across} options={across} onChange={(next) => change({ across: next })} />
            <Segments label={t`Down`} value={place.value.down} options={down} onChange={(next) => change({ down: next })} />
          </div>
          <div class="row">
            <Button tone="primary" disabled={!isFrame || fillsFrame(box, frame)} onClick={use}>{t`Use this frame`}</Button>
          </div>
        </div>
      </div>
    </Dialog>
  )
}
