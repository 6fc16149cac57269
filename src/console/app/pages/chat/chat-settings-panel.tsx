import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Fold } from '../../parts/fields/fold.tsx'
import { LoraFields } from '../../parts/fields/lora-fields.tsx'
import { seedFault } from '../../parts/fields/seed-fault.ts'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { doublingStops, Slider } from '../../parts/fields/slider.tsx'
import { TextArea } from '../../parts/fields/text-area.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { chatModels, modelChoices } from '../../state/models.ts'
import { adaptersOf, changeChatSettings, chatSettings, chooseChatModel, chooseLoras, defaultChatSettings } from './chat-settings.ts'
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
        hint={t`tokens`}
        value={settings.maxTokens}
        min={1}
        max={model?.contextLength ?? 4096}
        step={1}
        stops={doublingStops(16, model?.contextLength ?? 4096)}
        standard={defaultChatSettings.maxTokens}
        onChange={(maxTokens) => changeChatSettings({ maxTokens })}
      />
      <Slider
        label={t`Temperature`}
        value={settings.temperature}
        min={0}
        max={2}
        step={0.05}
        standard={defaultChatSettings.temperature}
        onChange={(temperature) => changeChatSettings({ temperature })}
      />
      <Slider
        label={t`Top p`}
        value={settings.topP}
        min={0}
        max={1}
        step={0.01}
        standard={defaultChatSettings.topP}
        onChange={(topP) => changeChatSettings({ topP })}
      />
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

/** The LoRAs of the model; nothing when none fits. */
function Adapters(): VNode | null {
  const { model, loras } = chatSettings.value
  const known = adaptersOf(model)
  if (known.length === 0) return null
  const chosen = loras.filter(({ name }) => known.includes(name)).length
  return (
    <Fold title={t`LoRAs`} open={chosen > 0} {...(chosen > 0 && { note: String(chosen) })}>
      <LoraFields known={known.map((name) => ({ name, label: name }))} loras={loras} onChange={chooseLoras} />
    </Fold>
  )
}

function MoreParameters(): VNode {
  const settings = chatSettings.value
  return (
    <div class="stack">
      <Slider
        label={t`Frequency penalty`}
        value={settings.frequencyPenalty}
        min={0}
        max={1}
        step={0.05}
        standard={defaultChatSettings.frequencyPenalty}
        onChange={(frequencyPenalty) => changeChatSettings({ frequencyPenalty })}
      />
      <Slider
        label={t`Presence penalty`}
        value={settings.presencePenalty}
        min={0}
        max={1}
        step={0.05}
        standard={defaultChatSettings.presencePenalty}
        onChange={(presencePenalty) => changeChatSettings({ presencePenalty })}
      />
      <Slider
        label={t`Repetition penalty`}
        hint={t`1 is off`}
        value={settings.repetitionPenalty}
        min={1}
        max={2}
        step={0.05}
        standard={defaultChatSettings.repetitionPenalty}
        onChange={(repetitionPenalty) => changeChatSettings({ repetitionPenalty })}
      />
      <Slider
        label={t`Top k`}
        hint={t`0 is off`}
        value={settings.topK}
        min={0}
        max={200}
        step={1}
        standard={defaultChatSettings.topK}
        onChange={(topK) => changeChatSettings({ topK })}
      />
      <Slider
        label={t`Min p`}
        hint={t`0 is off`}
        value={settings.minP}
        min={0}
        max={1}
        step={0.01}
        standard={defaultChatSettings.minP}
        onChange={(minP) => changeChatSettings({ minP })}
      />
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
