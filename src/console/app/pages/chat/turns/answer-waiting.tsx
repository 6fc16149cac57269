import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import { t } from '../../../language/t.ts'
import { loadingText } from '../../../parts/models/loading-text.ts'
import { loadModels, modelsOf } from '../../../state/models.ts'
import { useRepeat } from '../../../state/repeat.ts'

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
  return loadingText(model) ?? (state.waiting > 0 ? t`${name} is busy; ${state.waiting} waiting.` : t`${name} is reading…`)
}
