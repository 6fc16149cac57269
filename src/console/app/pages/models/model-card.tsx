import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleModel, ModelChoice, ModelServer } from '../../../contract/models.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ConfirmDialog } from '../../parts/dialog-form.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { ModelDot } from '../../parts/models/model-dot.tsx'
import { stateText } from '../../parts/models/model-state-text.ts'
import { loadModels } from '../../state/models.ts'
import { announce } from '../../state/toasts.ts'
import { canBeTried, tryModel } from '../palette/try-model.ts'
import { modelFacts, runsElsewhere } from './model-facts.ts'

const doneTexts = { load: t`Model loaded.`, unload: t`Model unloaded.`, remove: t`Model removed.` } as const
const tones = { unloaded: '', loading: 'busy', loaded: 'good', 'backing-off': 'bad' } as const satisfies Record<
  ConsoleModel['state']['state'],
  string
>

/** One model: its facts and state, and buttons to try, load, unload and remove it. */
export function ModelCard({ model, mayChange }: { model: ConsoleModel; mayChange: boolean }): VNode {
  const busy = useSignal(false)
  const failure = useSignal<unknown>(null)
  const removing = useSignal(false)
  const ask = async (verb: 'load' | 'unload' | 'remove') => {
    const body: ModelChoice = { model: model.id }
    await send(`/console/api/models/${verb}`, { method: 'POST', body, waitsForWork: true })
    await loadModels()
    announce(doneTexts[verb])
  }
  const change = async (verb: 'load' | 'unload') => {
    busy.value = true
    failure.value = null
    try {
      await ask(verb)
    } catch (error) {
      failure.value = error
    } finally {
      busy.value = false
    }
  }
  const inMemory = model.state.state === 'loaded'
  return (
    <article class="sheet stack" aria-label={model.name}>
      <div class="row between">
        <div class="stack tight">
          <div class="row">
            <h2 class="model-name">
              <ModelDot model={model.id} />
              <span>{model.name}</span>
            </h2>
            <span class={`mark ${tones[model.state.state]}`}>{stateText(model.state)}</span>
          </div>
          <div class="row">
            <code class="soft whole">{model.id}</code>
            <CopyButton text={model.id} about={model.id} />
          </div>
        </div>
        <div class="row">
          {canBeTried(model) ? <Button onClick={() => tryModel(model)} about={model.name}>{t`Try it`}</Button> : null}
          {mayChange ? (
            <Button tone="quiet" busy={busy.value} onClick={() => void change(inMemory ? 'unload' : 'load')} about={model.name}>
              {busy.value ? t`One moment…` : inMemory ? t`Unload` : t`Load`}
            </Button>
          ) : null}
          {model.removable ? (
            <Button tone="quiet" icon="trash" onClick={() => (removing.value = true)} about={model.name}>{t`Remove`}</Button>
          ) : null}
        </div>
      </div>
      {model.description ? <p>{model.description}</p> : null}
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <Facts class="facts" of={[...modelFacts(model), [t`In memory`, memoryText(model)], ...workFacts(model)]} />
      {model.servers ? <ServerLines servers={model.servers} /> : null}
      {removing.value ? (
        <ConfirmDialog
          title={t`Remove ${model.name}?`}
          action={t`Remove`}
          run={() => ask('remove')}
          onClose={() => (removing.value = false)}
        >
          {t`Deletes ${byteText(model.bytes)} from the disk. Of an imported model, only the link is deleted; its files stay. Requests for ${model.id} then fail until you pull or import it again.`}
        </ConfirmDialog>
      ) : null}
    </article>
  )
}

/** The running requests, and the waiting ones if there are any, as terms and values. */
function workFacts({ state }: ConsoleModel): readonly (readonly [string, string])[] {
  const running = [t`Running`, state.state === 'loaded' ? t`${state.inUse} of ${state.slots}` : '–'] as const
  return state.waiting === 0 ? [running] : [running, [t`Waiting`, String(state.waiting)]]
}

function memoryText(model: ConsoleModel): string {
  if (model.state.state !== 'loaded') return '–'
  return runsElsewhere(model) ? t`on its server` : byteText(model.state.memoryBytes)
}

/** The servers of a model, and whether they answered the last check. */
function ServerLines({ servers }: { servers: readonly ModelServer[] }): VNode {
  return (
    <section class="stack tight">
      <h3>{t`Runs on other servers`}</h3>
      <ul class="stack tight">
        {servers.map(({ url, model, answers, reason }) => (
          <li class="row" key={url}>
            <code class="clipped" title={url}>
              {url}
            </code>
            <span class={`mark ${answers === false ? 'bad' : answers ? 'good' : ''}`}>
              {answers === false ? t`not responding` : answers ? t`responding again` : t`healthy`}
            </span>
            <span class="soft">{t`as ${model}`}</span>
            {reason === null ? null : (
              <span class="soft" lang="en">
                {reason}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
