import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ChatPreset } from '../../../../../core/chat/preset.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { FailureNote } from '../../../parts/failure-note.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { useResource } from '../../../state/resource.ts'
import { announce, showToast } from '../../../state/toasts.ts'
import { PresetNameDialog } from './preset-name-dialog.tsx'
import { applyPreset, chosenPreset, differs, loadPresets, presets, removePreset, setStandardPreset, updatePreset } from './presets.ts'

/** The user's presets: choose, save, rename, delete, set as default. */
export function PresetPicker(): VNode {
  const naming = useSignal<'new' | 'other' | null>(null)
  const { resource, reload } = useResource(loadPresets, [])
  const known = presets.value?.presets ?? []
  const chosen = chosenPreset()
  const isStandard = chosen !== null && presets.value?.standard === chosen.id
  const remove = async () => {
    if (chosen === null) return
    const undo = await removePreset(chosen)
    showToast(t`Preset deleted.`, { label: t`Undo`, run: undo })
  }
  const update = async (preset: ChatPreset) => {
    await updatePreset(preset)
    announce(t`Preset “${preset.name}” saved.`)
  }
  const nameOf = (id: string, name: string) => (presets.value?.standard === id ? t`${name} (default)` : name)
  return (
    <div class="stack tight">
      <SelectField
        label={t`Preset`}
        value={chosen?.id ?? ''}
        options={[{ value: '', label: t`None` }, ...known.map(({ id, name }) => ({ value: id, label: nameOf(id, name) }))]}
        onChange={(id) => applyPreset(known.find((preset) => preset.id === id) ?? null)}
      />
      {resource.value.state === 'failed' ? <FailureNote failure={resource.value.failure} retry={reload} /> : null}
      <div class="row">
        {chosen !== null && differs(chosen) ? <Button size="small" onClick={() => update(chosen)}>{t`Save changes`}</Button> : null}
        <Button tone="quiet" size="small" icon="plus" onClick={() => (naming.value = 'new')}>{t`Save as a preset`}</Button>
        {chosen === null ? null : (
          <>
            <Button tone="quiet" size="small" icon="brush" iconOnly onClick={() => (naming.value = 'other')}>{t`Rename the preset`}</Button>
            <Button tone="quiet" size="small" icon="trash" iconOnly onClick={remove}>{t`Delete the preset`}</Button>
            <Button tone="quiet" size="small" onClick={() => setStandardPreset(isStandard ? null : chosen)}>
              {isStandard ? t`No longer the default` : t`Set as default`}
            </Button>
          </>
        )}
      </div>
      {naming.value === null ? null : (
        <PresetNameDialog preset={naming.value === 'other' ? chosen : null} onClose={() => (naming.value = null)} />
      )}
    </div>
  )
}
