import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { TextArea } from '../../../parts/fields/text-area.tsx'
import { drawingModels, modelChoices, models } from '../../../state/models.ts'
import { draw, imageRuns } from '../runs/image-runs.ts'
import { ReferencePicturesField } from '../start/reference-pictures-field.tsx'
import { startingImage } from '../start/starting-image.ts'
import { StartingImageField } from '../start/starting-image-field.tsx'
import { AssetSettings } from './asset-settings.tsx'
import { ControlnetSettings } from './controlnet-settings.tsx'
import { usesNegativePrompt } from './image-request-body.ts'
import { changeImageSettings, chooseImageModel, imageSettings } from './image-settings.ts'
import { ImageSlider } from './image-slider.tsx'
import { chosenAbilities, chosenModel, drawingFault, nextDrawing } from './next-drawing.ts'
import { OutputSettings } from './output-settings.tsx'
import { PromptSettings } from './prompt-settings.tsx'
import { SamplingSettings, SeedField } from './sampling-settings.tsx'
import { SecondPassSettings } from './second-pass-settings.tsx'
import { SizePicker } from './size-picker.tsx'
import { StylePicker } from './style-picker.tsx'

/**
 * All fields of an image request that the model supports. Control or Command with Enter draws.
 *
 * @param isUnknown Whether the installed models could not be loaded.
 */
export function ImageForm({ isUnknown }: { isUnknown: boolean }): VNode {
  const settings = imageSettings.value
  const model = chosenModel()
  const abilities = model && chosenAbilities(model)
  const fault = isUnknown && models.value === null ? t`The list of models couldn’t be loaded.` : drawingFault()
  // A second click before the service has the first request would draw the same picture twice.
  const sending = imageRuns.value.some(({ state, grid }) => state === 'sending' && grid === null)
  const submit = () => {
    if (model && fault === null && !sending) void draw(nextDrawing(model))
  }
  return (
    <form
      class="studio-form"
      aria-label={t`What to draw`}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
      }}
    >
      <div class="studio-fields">
        <ModelField />
        <TextArea
          label={t`Prompt`}
          rows={4}
          maxLength={10_000}
          value={settings.prompt}
          placeholder={t`a glossy tiger on a light blue background`}
          onInput={(prompt) => changeImageSettings({ prompt })}
        />
        {abilities && usesNegativePrompt(settings, abilities) ? (
          <TextArea
            label={t`Negative prompt`}
            rows={2}
            maxLength={10_000}
            value={settings.negativePrompt}
            placeholder={t`what to leave out: text, frame, blur`}
            onInput={(negativePrompt) => changeImageSettings({ negativePrompt })}
          />
        ) : null}
        {model ? <SizePicker model={model} /> : null}
        <StylePicker />
        <ImageSlider name="count" label={t`Images`} />
        {model && abilities ? (
          <>
            {abilities.takesSeeds ? <SeedField /> : null}
            {abilities.startsFromImage ? <StartingImageField model={model} /> : null}
            {abilities.takesReferences ? <ReferencePicturesField /> : null}
            <div class="fold-list">
              <SamplingSettings model={model} abilities={abilities} />
              <SecondPassSettings abilities={abilities} />
              <PromptSettings abilities={abilities} />
              <AssetSettings abilities={abilities} />
              <ControlnetSettings abilities={abilities} />
              <OutputSettings />
            </div>
          </>
        ) : null}
      </div>
      <div class="draw-bar">
        <Button tone="primary" size="wide" icon="brush" busy={sending} disabled={fault !== null}>{t`Draw`}</Button>
        <span class="field-hint">{fault ?? summary(abilities?.startsFromImage && startingImage.value !== null)}</span>
      </div>
    </form>
  )
}

function ModelField(): VNode | null {
  const known = drawingModels()
  if (known.length === 0) return null
  return (
    <SelectField
      label={t`Model`}
      value={imageSettings.value.model}
      options={modelChoices(known)}
      onChange={(id) => {
        const next = known.find((each) => each.id === id)
        if (next) chooseImageModel(next)
      }}
    />
  )
}

function summary(startsFromPicture = false): string {
  const { count, width, height, steps } = imageSettings.value
  const images = t.count(count, { one: 'One image', other: '# images' })
  const facts = [images, `${width} × ${height}`, t.count(steps, { one: '# step', other: '# steps' })]
  return [...facts, ...(startsFromPicture ? [t`starts from an image`] : [])].join(', ')
}
