import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import { loadModels, modelsOf } from '../../../state/models.ts'
import { useRepeat } from '../../../state/repeat.ts'
import { t } from '../text.ts'

const refreshMs = 1000

/** What an answer waits for that has not begun: its model being loaded, and how far that is, or others before it. */
export function AnswerWaiting({ modelId }: { modelId: string | null }): VNode {
  useRepeat(
    useCallback(() => loadModels().catch(() => undefined), []),
    refreshMs,
  )
  return (
    <p class="soft" role="status">
      {waitingText(modelId)}
    </p>
  )
}

function waitingText(modelId: string | null): string {
  const model = modelsOf('text').find(({ id }) => id === modelId)
  if (model === undefined) return t`Waiting for the model…`
  const { name, state } = model
  switch (state.state) {
    case 'unloaded':
      return t`${name} is being loaded…`
    case 'loading':
      return state.loadProgress === undefined
        ? t`${name} is being loaded…`
        : t`${name} is being loaded: ${Math.floor(state.loadProgress * 100)} %`
    case 'backing-off':
      return t`${name} stopped and will be started again.`
    case 'loaded':
      return state.waiting > 0 ? t`${name} is busy; ${state.waiting} waiting.` : t`${name} is reading…`
  }
}
