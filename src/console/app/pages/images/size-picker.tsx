import type { VNode } from 'preact'
import type { ImageModelDescriptor } from '../../../../core/model.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { sizeChoices } from './size-choices.ts'

const longest = 30

/** The picture's shape, drawn small. */
export function SizePicker({ model }: { model: Pick<ImageModelDescriptor, 'sizes' | 'native'> }): VNode {
  const { width, height } = imageSettings.value
  return (
    <fieldset class="field">
      <legend class="field-label">Size</legend>
      <div class="sizes">
        {sizeChoices(model).map((size) => {
          const scale = longest / Math.max(size.width, size.height)
          return (
            <label key={`${size.width}×${size.height}`}>
              <input
                type="radio"
                name="size"
                checked={size.width === width && size.height === height}
                onChange={() => changeImageSettings(size)}
              />
              <span class="size-frame">
                <i style={{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }} />
              </span>
              <small>
                {size.width}×{size.height}
              </small>
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
