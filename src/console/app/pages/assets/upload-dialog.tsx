import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { UploadKind } from '../../../../core/assets/uploaded-asset.ts'
import { type CheckpointFamily, checkpointFamilies, familyNames } from '../../../../core/checkpoint/checkpoint-family.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { FormDialog } from '../../parts/dialog-form.tsx'
import { bind, bindChecked, bindValue } from '../../parts/fields/bind.ts'
import { Check } from '../../parts/fields/check.tsx'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { kindNames, uploadAsset } from './asset-requests.ts'
import { assetName } from './read-weights.ts'

interface UploadDialogProps {
  readonly file: File
  readonly kind: UploadKind
  /** The model family in its header; null = unknown. */
  readonly family: CheckpointFamily | null
  readonly words: readonly string[]
  readonly mayShare: boolean
  readonly onClose: () => void
  readonly onUploaded: () => void
}

/** Asks for a file's description, and uploads it. */
export function UploadDialog({ file, kind, family, words, mayShare, onClose, onUploaded }: UploadDialogProps): VNode {
  const name = useSignal(assetName(file))
  const chosen = useSignal<CheckpointFamily>(family ?? 'sdxl')
  const trigger = useSignal(words.join(', '))
  const description = useSignal('')
  const isPublic = useSignal(false)
  const share = useSignal<number | null>(null)
  const stop = useSignal(new AbortController()).value
  useEffect(() => () => stop.abort(), [stop])
  const form = useSubmit(async () => {
    share.value = 0
    const triggerWords = trigger.value.split(',').map((word) => word.trim())
    const draft = { name: name.value, kind, family: chosen.value, description: description.value, isPublic: isPublic.value }
    try {
      const options = { signal: stop.signal, onShare: (done: number) => (share.value = done) }
      await uploadAsset({ ...draft, triggerWords: triggerWords.filter((word) => word !== '') }, file, options)
    } finally {
      share.value = null
    }
    onUploaded()
  })
  return (
    <FormDialog title={t`Upload a ${kindNames[kind]}`} action={t`Upload`} form={form} onClose={onClose}>
      <p class="soft">
        {file.name}, {byteText(file.size)}
      </p>
      <TextField
        label={t`Name`}
        required
        maxLength={64}
        hint={t`Requests use this name: letters, digits, dots and dashes.`}
        {...bind(name)}
      />
      {family === null ? (
        <SelectField
          label={t`For models of`}
          options={checkpointFamilies.map((value) => ({ value, label: familyNames[value] }))}
          {...bindValue(chosen)}
        />
      ) : (
        <p class="soft">{t.rich`For ${familyNames[family]}.`}</p>
      )}
      {kind === 'lora' || kind === 'textual-inversion' ? (
        <TextField label={t`Trigger words`} maxLength={500} hint={t`Words to use in the prompt, separated by commas.`} {...bind(trigger)} />
      ) : null}
      <TextField label={t`Description`} maxLength={2000} {...bind(description)} />
      {mayShare ? <Check label={t`Public`} hint={t`Every account may use it`} {...bindChecked(isPublic)} /> : null}
      {share.value === null ? null : (
        <label class="stack tight">
          <span class="field-label">{share.value < 1 ? t`Uploading` : t`Checking`}</span>
          <progress value={share.value} max={1} />
        </label>
      )}
    </FormDialog>
  )
}
