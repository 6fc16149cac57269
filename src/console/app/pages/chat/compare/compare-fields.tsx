import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { chatModels, modelChoices } from '../../../state/models.ts'
import { comparedModels } from './compared-models.ts'

const none = { value: '', label: t`None` }

/** Which other models answer the next message too, side by side. */
export function CompareFields(): VNode {
  const { second, third } = comparedModels.value
  const options = [none, ...modelChoices(chatModels())]
  return (
    <div class="stack">
      <SelectField
        label={t`Second model`}
        value={second}
        options={options}
        hint={t`It answers the next message too, beside the first.`}
        onChange={(id) => (comparedModels.value = { second: id, third: id === '' ? '' : third })}
      />
      {second === '' ? null : (
        <SelectField
          label={t`Third model`}
          value={third}
          options={options}
          onChange={(id) => (comparedModels.value = { second, third: id })}
        />
      )}
    </div>
  )
}
