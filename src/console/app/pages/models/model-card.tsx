import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleModel, ModelChoice } from '../../../contract/models.ts'
import { send } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { FailureNote } from '../../parts/failure-note.tsx'
import { loadModels } from '../../state/models.ts'
import { modelFacts } from './model-facts.ts'

const marks = {
  unloaded: { tone: '', label: 'not loaded' },
  loading: { tone: 'busy', label: 'loading' },
  loaded: { tone: 'good', label: 'loaded' },
  'backing-off': { tone: 'bad', label: 'crashed, waiting' },
} as const satisfies Record<ConsoleModel['state']['state'], { tone: string; label: string }>

/** Only engines that tell how far they are. */
function progressText(part: number | undefined): string {
  return part === undefined ? '' : ` ${Math.floor(part * 100)} %`
}

/** One model: what it is, where it stands, and the way to move it. */
export function ModelCard({ model, mayChange }: { model: ConsoleModel; mayChange: boolean }): VNode {
  const busy = useSignal(false)
  const failure = useSignal<unknown>(null)
  const change = async (verb: 'load' | 'unload') => {
    busy.value = true
    failure.value = null
    try {
      await send(`/console/api/models/${verb}`, { method: 'POST', body: { model: model.id } satisfies ModelChoice })
      await loadModels()
    } catch (error) {
      failure.value = error
    } finally {
      busy.value = false
    }
  }
  const mark = marks[model.state.state]
  const inMemory = model.state.state === 'loaded'
  return (
    <article class="sheet stack">
      <div class="row between">
        <div class="stack tight">
          <div class="row">
            <h2>{model.name}</h2>
            <span class={`mark ${mark.tone}`}>{mark.label + progressText(model.state.loadProgress)}</span>
          </div>
          <code class="soft">{model.id}</code>
        </div>
        {mayChange ? (
          <Button disabled={busy.value} onClick={() => void change(inMemory ? 'unload' : 'load')}>
            {busy.value ? 'One moment…' : inMemory ? 'Unload' : 'Load'}
            <span class="hidden-text"> {model.name}</span>
          </Button>
        ) : null}
      </div>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <dl class="facts">
        {modelFacts(model).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>In memory</dt>
          <dd>{inMemory ? byteText(model.state.memoryBytes) : '–'}</dd>
        </div>
        <div>
          <dt>At work, waiting</dt>
          <dd>
            {inMemory ? `${model.state.inUse} of ${model.state.slots}` : '–'}, {model.state.waiting}
          </dd>
        </div>
      </dl>
    </article>
  )
}
