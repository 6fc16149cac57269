import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Check } from '../../../parts/fields/check.tsx'
import { changeImageSettings, imageSettings } from '../form/image-settings.ts'
import { ImageSlider } from '../form/image-slider.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { MaskPainter } from './mask-painter.tsx'
import { PictureDrop } from './picture-drop.tsx'
import { type StartingImage, startFrom, startingImage } from './starting-image.ts'

/** An optional starting picture (dropped, chosen or an earlier drawing), and its mask. */
export function StartingImageField({ model }: { model: ConsoleImageModel }): VNode {
  const open = useSignal<'mask' | 'frame' | null>(null)
  const start = startingImage.value
  if (!start) return <ChooseStart />
  const close = () => {
    open.value = null
  }
  return (
    <div class="stack tight">
      <span class="field-label">{t`Start from`}</span>
      <div class="start-image">
        <span class="start-picture">
          <img src={start.url} alt={t`Start of the next drawing`} />
          {start.mask ? <img class="start-mask" src={start.mask} alt="" /> : null}
        </span>
        <div class="stack tight">
          <Button size="small" icon="brush" onClick={() => (open.value = 'mask')}>
            {start.mask ? t`Change the mask` : t`Paint a mask`}
          </Button>
          <Button size="small" icon="spread" onClick={() => (open.value = 'frame')}>{t`Extend (outpaint)`}</Button>
          <Button tone="quiet" size="small" icon="trash" onClick={() => (startingImage.value = null)}>{t`Remove`}</Button>
        </div>
      </div>
      <span class="field-hint">{whatChanges(start)}</span>
      <ImageSlider name="strength" label={t`Strength`} hint={t`0 keeps the image, 1 ignores it`} />
      {start.mask ? <MaskSettings /> : null}
      {open.value === 'mask' ? <MaskPainter start={start} onClose={close} /> : null}
      {open.value === 'frame' ? <ExtendDialog start={start} model={model} onClose={close} /> : null}
    </div>
  )
}

function whatChanges({ mask, extended }: StartingImage): string {
  if (mask === null) return t`The whole image may change.`
  return extended ? t`The area around the image is drawn.` : t`Only the painted part changes.`
}

function MaskSettings(): VNode {
  const { fullResolution } = imageSettings.value
  return (
    <>
      <ImageSlider name="feather" label={t`Feather`} hint={t`pixels to each side`} />
      <Check
        label={t`Inpaint at full resolution`}
        hint={t`Draws only the painted part and its surroundings, at the model’s full size, for more detail.`}
        checked={fullResolution}
        onChange={(next) => changeImageSettings({ fullResolution: next })}
      />
      {fullResolution ? <ImageSlider name="padding" label={t`Surroundings`} hint={t`pixels around the mask`} /> : null}
    </>
  )
}

function ChooseStart(): VNode {
  return (
    <div class="field">
      <span class="field-label">{t`Start from an image`}</span>
      <PictureDrop take={startFrom}>{t`Drop one here, or choose a file`}</PictureDrop>
    </div>
  )
}
