import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../../parts/button.tsx'
import { DropZone } from '../../parts/drop-zone.tsx'
import { Slider } from '../../parts/fields/slider.tsx'
import { showToast } from '../../state/toasts.ts'
import { imageRanges } from './image-ranges.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { MaskPainter } from './mask-painter.tsx'
import { startFrom, startingImage } from './starting-image.ts'

/** An optional picture to begin from: dropped, chosen, or taken from the board. */
export function StartingImageField(): VNode {
  const painting = useSignal(false)
  const start = startingImage.value
  if (!start) return <ChooseStart />
  return (
    <div class="stack tight">
      <span class="field-label">Start from</span>
      <div class="start-image">
        <img src={start.url} alt="Where the next drawing starts" />
        <div class="stack tight">
          <Button size="small" icon="brush" onClick={() => (painting.value = true)}>
            {start.mask ? 'Change the mask' : 'Paint a mask'}
          </Button>
          <Button tone="quiet" size="small" icon="trash" onClick={() => (startingImage.value = null)}>
            Remove
          </Button>
          <span class="field-hint">{start.mask ? 'Only the painted part changes.' : 'The whole picture may change.'}</span>
        </div>
      </div>
      <Slider
        label="Change"
        hint="0 keeps it, 1 forgets it"
        value={imageSettings.value.strength}
        {...imageRanges.strength}
        standard={0.8}
        onChange={(strength) => changeImageSettings({ strength })}
      />
      {painting.value ? <MaskPainter start={start} onClose={() => (painting.value = false)} /> : null}
    </div>
  )
}

function ChooseStart(): VNode {
  const take = (file: File | undefined) => {
    if (file) startFrom(file).catch(() => showToast('This file is no picture that the browser can read.'))
  }
  return (
    <div class="field">
      <span class="field-label">Start from a picture</span>
      <DropZone accept="image/png,image/jpeg,image/webp" take={take}>
        Drop one here, or choose a file
      </DropZone>
    </div>
  )
}
