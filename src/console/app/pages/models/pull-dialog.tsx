import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { modelSuggestions } from '../../../../core/memory/model-suggestions.ts'
import { send } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { loadModels } from '../../state/models.ts'
import { t } from './text.ts'

/** What to begin with; a press fills in its name. */
function Suggestions({ onChoose }: { onChoose: (source: string) => void }): VNode {
  return (
    <details>
      <summary>{t`Models to begin with`}</summary>
      <ul class="stack tight">
        {modelSuggestions.map(({ source, kind, bytes, memoryBytes, license }) => (
          <li key={source}>
            <Button tone="quiet" size="small" onClick={() => onChoose(source)}>
              {source}
            </Button>
            <div class="soft">
              {kind === 'text' ? t`Chat` : t`Pictures`},{' '}
              {t`${byteText(bytes)} to fetch, about ${byteText(memoryBytes)} of memory,
                licence ${license}`}
            </div>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Asks for the name or address of a model to fetch. */
export function PullDialog({ onClose }: { onClose: () => void }): VNode {
  const source = useSignal('')
  const { busy, failure, submit } = useSubmit(async () => {
    await send('/console/api/models/pulls', { method: 'POST', body: { source: source.value.trim() } })
    await loadModels()
    onClose()
  })
  return (
    <Dialog title={t`Pull a model`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <TextField
          label={t`Name on the hub, or address of a .gguf or .safetensors file or of a model.json`}
          required
          placeholder="hf:Qwen/Qwen2.5-7B-Instruct-GGUF"
          hint={t`Add :Q8_0 for another quantization or :file.safetensors for one file. Every file is checked by size and SHA-256.`}
          {...bind(source)}
        />
        <Suggestions onChoose={(chosen) => (source.value = chosen)} />
        <div>
          <Button tone="primary" disabled={busy.value}>{t`Pull`}</Button>
        </div>
      </form>
    </Dialog>
  )
}
