import type { VNode } from 'preact'
import { stylePresetNames } from '../../../../core/images/style-preset.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { Slider } from '../../parts/fields/slider.tsx'
import { TextArea } from '../../parts/fields/text-area.tsx'
import { Icon } from '../../parts/icon.tsx'
import { modelChoices, modelsOf } from '../../state/models.ts'
import { areNumbersRight, imageRanges } from './image-ranges.ts'
import { imageRequestBody } from './image-request-body.ts'
import { draw } from './image-runs.ts'
import { changeImageSettings, chooseImageModel, imageSettings } from './image-settings.ts'
import { MoreImageSettings } from './more-image-settings.tsx'
import { SeedField } from './seed-field.tsx'
import { SizePicker } from './size-picker.tsx'
import { startingImage } from './starting-image.ts'
import { StartingImageField } from './starting-image-field.tsx'

/** Everything an image request can say; Control or Command with Enter draws. */
export function ImageForm(): VNode {
  const settings = imageSettings.value
  const known = modelsOf('image')
  const model = known.find((each) => each.id === settings.model)
  const ready = settings.prompt.trim() !== '' && model !== undefined && areNumbersRight(settings)
  const submit = () => {
    if (ready) void draw(imageRequestBody(settings, startingImage.value))
  }
  return (
    <form
      class="studio-form"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
      }}
    >
      <TextArea
        label="Prompt"
        rows={4}
        maxLength={10_000}
        value={settings.prompt}
        placeholder="a glossy tiger on a light blue background"
        onInput={(prompt) => changeImageSettings({ prompt })}
      />
      <Button tone="primary" size="wide" icon="brush" disabled={!ready}>
        Draw
      </Button>
      <TextArea
        label="Negative prompt"
        rows={2}
        maxLength={10_000}
        value={settings.negativePrompt}
        placeholder="text, frame, blur"
        onInput={(negativePrompt) => changeImageSettings({ negativePrompt })}
      />
      {model ? <SizePicker model={model} /> : null}
      <Slider
        label="Images"
        value={settings.count}
        {...imageRanges.count}
        standard={1}
        onChange={(count) => changeImageSettings({ count })}
      />
      <SelectField
        label="Style"
        value={settings.style}
        options={[{ value: '', label: 'None' }, ...stylePresetNames.map((name) => ({ value: name, label: name }))]}
        onChange={(style) => changeImageSettings({ style })}
      />
      <SeedField />
      <StartingImageField />
      <details class="fold">
        <summary>
          <Icon name="next" size={14} />
          More settings
        </summary>
        {model ? <MoreImageSettings standard={model.defaults} /> : null}
      </details>
      {known.length > 1 ? (
        <SelectField
          label="Model"
          value={settings.model}
          options={modelChoices(known)}
          onChange={(id) => {
            const next = known.find((each) => each.id === id)
            if (next) chooseImageModel(next)
          }}
        />
      ) : null}
    </form>
  )
}
