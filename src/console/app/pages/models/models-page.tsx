import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { leftOutFiles, loadModels, models, pulls } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { LeftOutFiles } from './left-out-files.tsx'
import { ModelCard } from './model-card.tsx'
import { PullCard } from './pull-card.tsx'
import { PullDialog } from './pull-dialog.tsx'

const refreshMs = 2000

/** The installed models and their state. */
export function ModelsPage({ account }: { account: Account }): VNode {
  const owner = account.role === 'owner'
  const pulling = useSignal(false)
  const { resource, reload } = useResource(loadModels, [], refreshMs)
  return (
    <Page
      title={t`Models`}
      intro={t`A model is loaded on its first request and unloaded when idle or when another needs the memory.`}
      actions={owner ? <Button icon="download" onClick={() => (pulling.value = true)}>{t`Pull a model`}</Button> : null}
    >
      {pulls.value.map((pull) => (
        <PullCard key={`${pull.node} ${pull.source}`} pull={pull} mayChange={owner} />
      ))}
      <Loaded resource={resource} retry={reload}>
        {() =>
          models.value && models.value.length > 0 ? (
            <div class="stack">
              {models.value.map((model) => (
                <ModelCard key={model.id} model={model} mayChange={owner} />
              ))}
            </div>
          ) : (
            <EmptyState drawing="page" title={t`No models`}>
              <p>{t.rich`Pull a model, or put a folder with its weights and a ${<code>model.json</code>} in place and start with ${<code>--models</code>}.`}</p>
            </EmptyState>
          )
        }
      </Loaded>
      {leftOutFiles.value.length > 0 ? <LeftOutFiles files={leftOutFiles.value} /> : null}
      {pulling.value ? <PullDialog onClose={() => (pulling.value = false)} /> : null}
    </Page>
  )
}
