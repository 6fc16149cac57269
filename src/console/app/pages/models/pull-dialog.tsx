import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { HubSearch, PullChoice } from '../../../contract/models.ts'
import { request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { loadModels } from '../../state/models.ts'
import { announce } from '../../state/toasts.ts'
import { HubResults, Suggestions } from './hub-results.tsx'

/** Whether a text is a source to pull; other words are searched for on the hub. */
const isSource = (text: string) => /^(hf|https?):/i.test(text)

/** Searches the hub, suggests models, and pulls one by its name or address. */
export function PullDialog({ onClose }: { onClose: () => void }): VNode {
  const words = useSignal('')
  const wanted = useSignal('')
  const found = useSignal<HubSearch | null>(null)
  const { busy, failure, submit } = useSubmit(async () => {
    const source = wanted.peek() || words.peek().trim()
    wanted.value = ''
    if (!isSource(source)) {
      found.value = await request<HubSearch>(`/console/api/models/search?${new URLSearchParams({ words: source })}`)
      return
    }
    await send('/console/api/models/pulls', { method: 'POST', body: { source } satisfies PullChoice })
    await loadModels()
    onClose()
    announce(t`Pull started.`)
  })
  const pull = (source: string) => {
    wanted.value = source
    submit(new Event('submit'))
  }
  const text = words.value.trim()
  return (
    <Dialog title={t`Pull a model`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <TextField
          label={t`Search Hugging Face, or paste a model name or URL`}
          required
          placeholder="hf:Qwen/Qwen3-8B-GGUF"
          hint={t`A name begins with hf:, for example hf:Qwen/Qwen3-8B-GGUF. Add :Q8_0 for another quantization or :file.safetensors for one file. The size and SHA-256 of every file are checked.`}
          {...bind(words)}
        />
        <div>
          <Button tone="primary" busy={busy.value}>
            {busy.value ? t`One moment…` : isSource(text) ? t`Pull` : t`Search`}
          </Button>
        </div>
      </form>
      <div role="status">{found.value === null ? null : <HubResults found={found.value} disabled={busy.value} onPull={pull} />}</div>
      {found.value === null || found.value.models.length === 0 ? <Suggestions disabled={busy.value} onPull={pull} /> : null}
    </Dialog>
  )
}
