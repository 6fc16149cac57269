import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { chatModelName } from '../../../state/models.ts'
import { current } from '../conversations.ts'
import { ToolCalls } from '../structure/tool-calls.tsx'
import { draftOf, keepDraft } from '../unsent/drafts.ts'
import { AnswerBody } from './answer-body.tsx'
import { answerFacts, isByHand } from './answer-facts.ts'
import { EditTurn, useFocusAfterEdit } from './edit-turn.tsx'
import { RemoveTurn } from './remove-turn.tsx'
import { Versions } from './versions.tsx'

/** A model's answer with its speed, and the actions to use, redo or continue it. */
export function Answer({ turn, last }: { turn: Turn; last: boolean }): VNode {
  const place = `edit ${turn.id}`
  const edited = draftOf(place)
  const article = useRef<HTMLElement>(null)
  const foot = useFocusAfterEdit(edited !== undefined)
  // The button disappears while the answer is written; the focus stays at the answer.
  const write = (request: (turn: Turn) => void) => () => {
    article.current?.focus({ preventScroll: true })
    request(turn)
  }
  const isOpenEnded = last && turn.content !== '' && (turn.state !== 'done' || isByHand(turn))
  if (edited !== undefined)
    return (
      <EditTurn
        label={t`Edit the answer`}
        action={t`Save`}
        text={edited}
        onInput={(text) => keepDraft(place, text)}
        onTake={(text) => current.value.rewrite(turn, text)}
        onClose={() => keepDraft(place, null)}
      />
    )
  return (
    <article class="turn-answer" data-state={turn.state} ref={article} tabIndex={-1}>
      <span class="hidden-text">{t`The model`}: </span>
      <AnswerBody turn={turn} />
      <ToolCalls turn={turn} last={last} />
      {turn.state === 'writing' ? null : (
        <footer class="turn-foot" ref={foot}>
          {turn.content ? <CopyButton text={turn.content} /> : null}
          {isOpenEnded ? (
            <Button
              tone="quiet"
              size="small"
              icon="next"
              onClick={write((each) => current.value.continueAnswer(each))}
            >{t`Continue`}</Button>
          ) : null}
          <Button tone="quiet" size="small" icon="again" onClick={write((each) => current.value.regenerate(each))}>
            {turn.failure ? t`Try again` : t`Regenerate`}
          </Button>
          {turn.content !== '' && turn.calls === undefined ? (
            <Button
              tone="quiet"
              size="small"
              icon="brush"
              class="edit"
              name={t`Edit the answer`}
              onClick={() => keepDraft(place, turn.content)}
            >{t`Edit`}</Button>
          ) : null}
          <RemoveTurn turn={turn} />
          <Versions turn={turn} />
          <span>{[...(turn.model === null ? [] : [chatModelName(turn.model)]), ...answerFacts(turn)].join(' · ')}</span>
        </footer>
      )}
    </article>
  )
}
