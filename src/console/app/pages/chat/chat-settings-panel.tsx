import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Fold } from '../../parts/fields/fold.tsx'
import { LoraFields } from '../../parts/fields/lora-fields.tsx'
import { seedFault } from '../../parts/fields/seed-fault.ts'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { doublingStops, Slider, type SliderProps } from '../../parts/fields/slider.tsx'
import { TextArea } from '../../parts/fields/text-area.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { chatModels, modelChoices } from '../../state/models.ts'
import {
  adaptersOf,
  changeChatSettings,
  chatSettings,
  chooseChatModel,
  chooseLoras,
  defaultChatSettings,
  limitedTo,
  tokenLimit,
} from './chat-settings.ts'
import { comparedModels } from './compare/compared-models.ts'
import { CompareFields } from './compare/comparison.tsx'
import { PresetPicker } from './presets/preset-picker.tsx'
import { StructureFields } from './structure/structure-fields.tsx'

/** Every parameter of a chat completion, with its range. */
export function ChatSettingsPanel(): VNode {
  const settings = chatSettings.value
  const known = chatModels()
  const model = known.find((each) => each.id === settings.model)
  return (
    <div class="stack">
      <SelectField label={t`Model`} value={settings.model} options={modelChoices(known)} onChange={chooseChatModel} />
      <Fold title={t`Compare models`} open={comparedModels.value.second !== ''}>
        <CompareFields />
      </Fold>
      <PresetPicker />
      <TextArea
        label={t`System prompt`}
        value={settings.system}
        rows={3}
        placeholder={t`Answer in one sentence.`}
        onInput={(system) => changeChatSettings({ system })}
      />
      <Slider
        label={t`Maximum length`}
        value={tokenLimit(settings)}
        standard={0}
        onChange={(limit) => changeChatSettings(limitedTo(limit))}
        hint={t`tokens; 0 means no limit`}
        min={0}
        max={model?.contextLength ?? 4096}
        step={1}
        stops={[0, ...doublingStops(16, model?.contextLength ?? 4096)]}
      />
      <Parameter name="temperature" label={t`Temperature`} hint={t`higher is more varied`} min={0} max={2} step={0.05} />
      <Parameter name="topP" label={t`Top p`} hint={t`1 is off`} min={0} max={1} step={0.01} />
      <Adapters />
      <Fold title={t`Functions and JSON`} open={settings.tools !== '' || settings.format !== 'text'}>
        <StructureFields />
      </Fold>
      <Fold title={t`More parameters`}>
        <MoreParameters />
      </Fold>
      <div>
        <Button
          tone="quiet"
          size="small"
          onClick={() => changeChatSettings({ ...defaultChatSettings, model: settings.model, system: settings.system })}
        >{t`Reset to defaults`}</Button>
      </div>
    </div>
  )
}

interface ParameterProps extends Omit<SliderProps, 'value' | 'standard' | 'onChange'> {
  readonly name: NumberSetting
}

/** The slider of a parameter that is a number. */
function Parameter({ name, ...range }: ParameterProps): VNode {
  return (
    <Slider
      {...range}
      value={chatSettings.value[name]}
      standard={defaultChatSettings[name]}
      onChange={(value) => changeChatSettings({ [name]: value })}
    />
  )
}

type NumberSetting = 'temperature' | 'topP' | 'topK' | 'minP' | 'frequencyPenalty' | 'presencePenalty' | 'repetitionPenalty'

/** The LoRAs of the model; nothing when none fits. */
function Adapters(): VNode | null {
  const { model, loras } = chatSettings.value
  const known = adaptersOf(model)
  if (known.length === 0) return null
  const chosen = loras.filter(({ name }) => known.includes(name)).length
  return (
    <Fold title={t`LoRAs`} open={chosen > 0} note={chosen > 0 ? String(chosen) : null}>
      <LoraFields known={known.map((name) => ({ name, label: name }))} loras={loras} onChange={chooseLoras} />
    </Fold>
  )
}

function MoreParameters(): VNode {
  const settings = chatSettings.value
  return (
    <div class="stack">
      <Parameter name="frequencyPenalty" label={t`Frequency penalty`} min={0} max={1} step={0.05} />
      <Parameter name="presencePenalty" label={t`Presence penalty`} min={0} max={1} step={0.05} />
      <Parameter name="repetitionPenalty" label={t`Repetition penalty`} hint={t`1 is off`} min={1} max={2} step={0.05} />
      <Parameter name="topK" label={t`Top k`} hint={t`0 is off`} min={0} max={200} step={1} />
      <Parameter name="minP" label={t`Min p`} hint={t`0 is off`} min={0} max={1} step={0.01} />
      <TextField
        label={t`Seed`}
        value={settings.seed}
        placeholder={t`at random`}
        hint={t`The same seed gives the same answer.`}
        fault={seedFault(settings.seed)}
        onInput={(seed) => changeChatSettings({ seed })}
      />
      <TextArea
        label={t`Stop sequences`}
        value={settings.stop}
        rows={2}
        hint={t`One text per line, at most 16. None of them is part of the answer.`}
        onInput={(stop) => changeChatSettings({ stop })}
      />
    </div>
  )
}
