import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { Account } from '../../../../core/account.ts'
import { Page } from '../../layout/page.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { loadModels, models } from '../../state/models.ts'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { ModelCard } from './model-card.tsx'

const refreshMs = 2000

/** What is installed, what is in memory. */
export function ModelsPage({ account }: { account: Account }): VNode {
  const { resource, reload } = useResource(loadModels, [])
  useRepeat(
    useCallback(() => void loadModels().catch(() => undefined), []),
    refreshMs,
  )
  return (
    <Page
      title="Models"
      intro="A model is loaded when somebody first asks for it, and leaves the memory when it is idle or another needs the room."
    >
      <Loaded resource={resource} retry={() => void reload()}>
        {() =>
          models.value && models.value.length > 0 ? (
            <div class="stack">
              {models.value.map((model) => (
                <ModelCard key={model.id} model={model} mayChange={account.role === 'owner'} />
              ))}
            </div>
          ) : (
            <EmptyState drawing="page" title="No models">
              <p>Put a folder with a model.json beside the weights and start with --models.</p>
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}
