import type { VNode } from 'preact'
import type { ImageModelDescriptor } from '../../../../core/model.ts'
import { samplers } from '../../../../core/sampler.ts'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { Slider } from '../../parts/fields/slider.tsx'
import { imageRanges } from './image-ranges.ts'
import { changeImageSettings, type Encoding, imageSettings } from './image-settings.ts'

const encodings: readonly { readonly value: Encoding; readonly label: string }[] = [
  { value: 'png', label: 'PNG' },
  { value: 'jpeg', label: 'JPEG' },
  { value: 'webp', label: 'WebP' },
]

/** The settings few people need every time. */
export function MoreImageSettings({ standard }: { standard: ImageModelDescriptor['defaults'] }): VNode {
  const settings = imageSettings.value
  return (
    <div class="stack">
      <Slider
        label="Steps"
        value={settings.steps}
        {...imageRanges.steps}
        standard={standard.steps}
        onChange={(steps) => changeImageSettings({ steps })}
      />
      <Slider
        label="Guidance"
        hint="how closely to follow the prompt"
        value={settings.guidanceScale}
        {...imageRanges.guidanceScale}
        standard={standard.guidanceScale}
        onChange={(guidanceScale) => changeImageSettings({ guidanceScale })}
      />
      <SelectField
        label="Sampler"
        value={settings.sampler}
        options={samplers.map((name) => ({ value: name, label: name }))}
        onChange={(sampler) => changeImageSettings({ sampler })}
      />
      <SelectField
        label="File format"
        value={settings.encoding}
        options={encodings}
        onChange={(encoding) => changeImageSettings({ encoding })}
      />
    </div>
  )
}
