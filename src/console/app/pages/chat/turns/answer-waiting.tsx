import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import { loadModels, modelsOf } from '../../../state/models.ts'
import { useRepeat } from '../../../state/repeat.ts'

const refreshMs = 1000

/** What an answer waits for that has not begun: its model being loaded, and how far that is, or others before it. */
export function AnswerWaiting({ modelId }: { modelId: string | null }): VNode {
  useRepeat(
    useCallback(() => void loadModels().catch(() => undefined), []),
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
  if (model === undefined) return 'Waiting for the model…'
  const { name, state } = model
  switch (state.state) {
    case 'unloaded':
      return `${name} is being loaded…`
    case 'loading':
      return state.loadProgress === undefined
        ? `${name} is being loaded…`
        : `${name} is being loaded: ${Math.floor(state.loadProgress * 100)} %`
    case 'backing-off':
      return `${name} stopped and will be started again.`
    case 'loaded':
      return state.waiting > 0 ? `${name} is busy; ${state.waiting} waiting.` : `${name} is reading…`
  }
}
