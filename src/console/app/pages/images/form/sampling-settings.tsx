import type { VNode } from 'preact'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Check } from '../../../parts/fields/check.tsx'
import { Field } from '../../../parts/fields/field.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { seedFault } from '../../../parts/fields/seed-fault.ts'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import type { ImageAbilities } from './image-abilities.ts'
import { imageRanges } from './image-ranges.ts'
import { usesNegativePrompt } from './image-request-body.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { ImageSlider } from './image-slider.tsx'

/** The effect of weak guidance in this model. */
function guidanceHint({ negativeOver }: ImageAbilities): string {
  if (negativeOver === null) return t`This model ignores negative prompts.`
  return negativeOver === 0
    ? t`With a guidance of 0, the negative prompt is ignored.`
    : t`With a guidance of 1 or less, the negative prompt is ignored.`
}

/** Sampler, steps and guidance. */
export function SamplingSettings({ model, abilities }: { model: ConsoleImageModel; abilities: ImageAbilities }): VNode {
  const settings = imageSettings.value
  const standard = model.defaults
  const most = settings.sampler === 'LCM' ? Math.min(imageRanges.steps.max, abilities.lcmSteps) : imageRanges.steps.max
  return (
    <Fold title={t`Sampling`} note={settings.sampler}>
      <ImageSlider name="steps" label={t`Steps`} max={most} standard={standard.steps} />
      <ImageSlider name="guidanceScale" label={t`Guidance`} hint={t`how closely to follow the prompt`} standard={standard.guidanceScale} />
      {usesNegativePrompt(settings, abilities) && abilities.rescalesGuidance ? (
        <ImageSlider name="guidanceRescale" label={t`Guidance rescale`} hint={t`reduces over-saturation`} />
      ) : (
        <span class="field-hint">{guidanceHint(abilities)}</span>
      )}
      <SelectField
        label={t`Sampler`}
        value={settings.sampler}
        options={abilities.samplers.map((name) => ({ value: name, label: name }))}
        onChange={(sampler) => changeImageSettings({ sampler })}
      />
      {abilities.refines ? (
        <>
          <Check
            label={t`Refine the last steps`}
            hint={t`with the refiner that comes with the model`}
            checked={settings.refine}
            onChange={(refine) => changeImageSettings({ refine })}
          />
          {settings.refine ? <ImageSlider name="refinerStart" label={t`Refiner from`} hint={t`share of the steps before it`} /> : null}
        </>
      ) : null}
    </Fold>
  )
}

/** The seed; further images use the next numbers. */
export function SeedField(): VNode {
  return (
    <Field label={t`Seed`} hint={t`The same seed and settings draw the same image.`} fault={seedFault(imageSettings.value.seed)}>
      {(ids) => (
        <div class="row nowrap">
          <input
            {...ids}
            class="input numbers"
            inputMode="numeric"
            placeholder={t`at random`}
            maxLength={16}
            value={imageSettings.value.seed}
            onInput={(event) => changeImageSettings({ seed: event.currentTarget.value })}
          />
          <Button
            icon="dice"
            iconOnly
            onClick={() => changeImageSettings({ seed: String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) })}
          >{t`New random seed`}</Button>
          <Button tone="quiet" icon="close" iconOnly onClick={() => changeImageSettings({ seed: '' })}>{t`Clear seed`}</Button>
        </div>
      )}
    </Field>
  )
}
