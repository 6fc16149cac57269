import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Check } from '../../../parts/fields/check.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { changeImageSettings, type Encoding, imageSettings } from './image-settings.ts'

const encodings: readonly { readonly value: Encoding; readonly label: string }[] = [
  { value: 'png', label: 'PNG' },
  { value: 'jpeg', label: 'JPEG' },
  { value: 'webp', label: 'WebP' },
]

/** The image's file format, and whether the prompt is logged. */
export function OutputSettings(): VNode {
  const { encoding, logPrompt } = imageSettings.value
  return (
    <Fold title={t`File and log`} note={encodings.find(({ value }) => value === encoding)?.label ?? encoding}>
      <SelectField
        label={t`File format`}
        value={encoding}
        options={encodings}
        onChange={(next) => changeImageSettings({ encoding: next })}
      />
      <Check
        label={t`Write the prompt to the log`}
        hint={t`Otherwise prompts don’t appear in the service’s log.`}
        checked={logPrompt}
        onChange={(next) => changeImageSettings({ logPrompt: next })}
      />
    </Fold>
  )
}
