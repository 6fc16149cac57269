import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { ImageModelDescriptor } from '../../../../../core/model.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { NumberField } from '../../../parts/fields/number-field.tsx'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { ratioName, type Size, sizeChoices, sizeFault } from './size-choices.ts'

const longest = 30

/** Whether a custom size is being entered, even if it equals an offered one. */
const custom = signal(false)

/** The image's aspect ratio and size, with small previews, and a custom size if the model allows it. */
export function SizePicker({ model }: { model: Pick<ImageModelDescriptor, 'sizes' | 'native'> }): VNode {
  const { width, height } = imageSettings.value
  const choices = sizeChoices(model)
  const isOffered = choices.some((size) => size.width === width && size.height === height)
  const name = useId()
  const shownCustom = model.sizes.type === 'range' && (custom.value || !isOffered)
  return (
    <fieldset class="field">
      <legend class="field-label">{t`Size`}</legend>
      <div class="sizes">
        {choices.map((size) => (
          <label key={`${size.width}×${size.height}`}>
            <input
              type="radio"
              name={name}
              checked={!shownCustom && size.width === width && size.height === height}
              onChange={() => {
                custom.value = false
                changeImageSettings(size)
              }}
            />
            <SizeFrame size={size} />
            <strong>{ratioName(size)}</strong>
            <small>
              {size.width}×{size.height}
            </small>
          </label>
        ))}
        {model.sizes.type === 'range' ? (
          <label>
            <input type="radio" name={name} checked={shownCustom} onChange={() => (custom.value = true)} />
            <span class="size-frame">?</span>
            <strong>{t`Custom`}</strong>
            <small>{t`in pixels`}</small>
          </label>
        ) : null}
      </div>
      {shownCustom ? <CustomSize model={model} /> : null}
    </fieldset>
  )
}

function SizeFrame({ size }: { size: Size }): VNode {
  const scale = longest / Math.max(size.width, size.height)
  return (
    <span class="size-frame">
      <i style={{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }} />
    </span>
  )
}

function CustomSize({ model }: { model: Pick<ImageModelDescriptor, 'sizes' | 'native'> }): VNode {
  const { width, height } = imageSettings.value
  return (
    <div class="custom-size">
      <NumberField
        label={t`Width`}
        value={width}
        fault={sizeFault({ width, height }, model)}
        onChange={(next) => changeImageSettings({ width: next })}
      />
      <Button icon="swap" iconOnly onClick={() => changeImageSettings({ width: height, height: width })}>{t`Swap width and height`}</Button>
      <NumberField label={t`Height`} value={height} onChange={(next) => changeImageSettings({ height: next })} />
    </div>
  )
}
