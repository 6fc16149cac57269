import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { TextArea } from '../../../parts/fields/text-area.tsx'
import { changeChatSettings, chatSettings } from '../chat-settings.ts'
import { exampleSchema, readSchema } from './read-schema.ts'
import { readTools } from './read-tools.ts'
import { exampleTools } from './tool-samples.ts'

const formats = [
  { value: 'text', label: t`Any text` },
  { value: 'json', label: t`A JSON object` },
  { value: 'schema', label: t`JSON that fits a schema` },
] as const
const choices = [
  { value: 'auto', label: t`May call them` },
  { value: 'required', label: t`Must call one` },
] as const

/** The format of answers, and the functions that the model may call. */
export function StructureFields(): VNode {
  const settings = chatSettings.value
  const tools = readTools(settings.tools)
  return (
    <div class="stack">
      <SelectField
        label={t`Response format`}
        value={settings.format}
        options={formats}
        onChange={(format) => changeChatSettings({ format })}
      />
      {settings.format === 'schema' ? (
        <TextArea
          label={t`JSON schema`}
          mono
          rows={6}
          value={settings.schema}
          fault={settings.schema === '' ? null : readSchema(settings).fault}
          onInput={(schema) => changeChatSettings({ schema })}
        />
      ) : null}
      {settings.format === 'schema' && settings.schema === '' ? (
        <Example onChoose={() => changeChatSettings({ schema: exampleSchema })}>{t`Insert an example schema`}</Example>
      ) : null}
      <TextArea
        label={t`Functions`}
        mono
        rows={4}
        value={settings.tools}
        fault={tools.fault}
        placeholder={t`One function as JSON, or a list`}
        onInput={(text) => changeChatSettings({ tools: text })}
      />
      {settings.tools === '' ? (
        <Example onChoose={() => changeChatSettings({ tools: exampleTools })}>{t`Insert an example`}</Example>
      ) : null}
      {tools.tools.length > 0 ? (
        <SelectField
          label={t`The model`}
          value={settings.toolChoice}
          options={choices}
          onChange={(toolChoice) => changeChatSettings({ toolChoice })}
        />
      ) : null}
    </div>
  )
}

function Example({ onChoose, children }: { onChoose: () => void; children: string }): VNode {
  return (
    <div>
      <Button tone="quiet" size="small" icon="plus" onClick={onChoose}>
        {children}
      </Button>
    </div>
  )
}
