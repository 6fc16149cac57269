import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Check } from '../../../parts/fields/check.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { startingImage } from '../start/starting-image.ts'
import type { ImageAbilities } from './image-abilities.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { ImageSlider } from './image-slider.tsx'

/** Settings of the second pass, which enlarges the first drawing and draws over it. */
export function SecondPassSettings({ abilities }: { abilities: ImageAbilities }): VNode | null {
  if (!abilities.drawsTwice) return null
  const settings = imageSettings.value
  return (
    <Fold title={t`Second pass`} note={settings.twice ? `× ${settings.enlargement}` : null}>
      <Check
        label={t`Enlarge and redraw`}
        hint={startingImage.value === null ? t`for more pixels than the model was trained for` : t`not with a starting image`}
        checked={settings.twice}
        onChange={(twice) => changeImageSettings({ twice })}
      />
      {settings.twice ? (
        <>
          <ImageSlider name="enlargement" label={t`Scale factor`} />
          {abilities.upscalers.length > 0 ? (
            <SelectField
              label={t`Enlarged by`}
              value={abilities.upscalers.includes(settings.upscaler) ? settings.upscaler : ''}
              options={[{ value: '', label: t`The model itself` }, ...abilities.upscalers.map((id) => ({ value: id, label: id }))]}
              onChange={(upscaler) => changeImageSettings({ upscaler })}
            />
          ) : null}
          <ImageSlider name="secondSteps" label={t`Second-pass steps`} hint={t`0 = as many as the first`} />
          <ImageSlider name="secondStrength" label={t`Second-pass strength`} hint={t`0 keeps the first pass, 1 ignores it`} />
        </>
      ) : null}
    </Fold>
  )
}
