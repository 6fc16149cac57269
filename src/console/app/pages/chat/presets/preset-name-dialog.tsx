import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ChatPreset } from '../../../../../core/chat/preset.ts'
import { isVisible } from '../../../../../core/text/visible-text.ts'
import { t } from '../../../language/t.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { DialogChoice } from '../../../parts/dialog-form.tsx'
import { FailureNote } from '../../../parts/failure-note.tsx'
import { bind } from '../../../parts/fields/bind.ts'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { useSubmit } from '../../../parts/use-submit.ts'
import { announce } from '../../../state/toasts.ts'
import { keepPreset, savePreset } from './presets.ts'

/** Names a new preset, or renames one. */
export function PresetNameDialog({ preset, onClose }: { preset: ChatPreset | null; onClose: () => void }): VNode {
  const name = useSignal(preset?.name ?? '')
  const { busy, failure, submit } = useSubmit(async () => {
    const chosen = name.value.trim()
    await (preset === null ? savePreset(chosen) : keepPreset({ ...preset, name: chosen }))
    onClose()
    announce(preset === null ? t`Preset “${chosen}” saved.` : t`Preset renamed to “${chosen}”.`)
  })
  return (
    <Dialog title={preset === null ? t`Save as a preset` : t`Rename the preset`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="soft">{t`A preset stores the system prompt and parameters, visible only to you. It doesn’t change the model.`}</p>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <TextField label={t`Name of the preset`} maxLength={100} {...bind(name)} />
        <DialogChoice busy={busy.value} disabled={!isVisible(name.value)} onClose={onClose}>
          {preset === null ? t`Save` : t`Rename`}
        </DialogChoice>
      </form>
    </Dialog>
  )
}
