import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { FailureBox } from '../../../parts/failure-note.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Prose } from '../../../parts/markdown/prose.tsx'
import { loadingText } from '../../../parts/models/model-state-text.ts'
import { loadModels, modelsOf } from '../../../state/models.ts'
import { useRepeat } from '../../../state/repeat.ts'

/** A model's answer: its reasoning (collapsed), its text, whether it fits the schema, and its failure. */
export function AnswerBody({ turn }: { turn: Turn }): VNode {
  const { content, thoughts, schemaFaults, failure } = turn
  const writing = turn.state === 'writing'
  const begun = content !== '' || thoughts !== undefined || turn.calls !== undefined
  return (
    <>
      {thoughts ? (
        <details class="fold thoughts">
          <summary>
            <Icon name="next" size={14} />
            {writing && content === '' ? t`Thinking…` : t`Thoughts`}
          </summary>
          <Prose text={thoughts} caret={false} />
        </details>
      ) : null}
      {writing && !begun ? <AnswerWaiting modelId={turn.model} /> : null}
      {content || writing ? <Prose text={content} caret={writing} /> : null}
      {turn.state === 'done' && !begun ? <p class="soft">{t`The model returned an empty answer.`}</p> : null}
      {schemaFaults === undefined ? null : <Verdict faults={schemaFaults} />}
      {failure ? (
        <FailureBox
          text={failure}
          language={turn.failureLanguage}
          requestId={turn.requestId ?? null}
          cause={turn.cause ?? null}
          role="alert"
        />
      ) : null}
    </>
  )
}

function Verdict({ faults }: { faults: readonly string[] }): VNode {
  if (faults.length === 0) return <p class="mark good">{t`Matches the schema`}</p>
  return (
    <div class="note warn stack tight">
      <p>{t`Doesn’t match the schema:`}</p>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </div>
  )
}

const refreshMs = 1000

/** Why an answer has not begun: its model is loading, with the progress, or other requests are first. */
function AnswerWaiting({ modelId }: { modelId: string | null }): VNode {
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
