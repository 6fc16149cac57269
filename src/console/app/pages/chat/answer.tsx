import type { VNode } from 'preact'
import type { Turn } from '../../../../core/conversation.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { Prose } from '../../parts/markdown/prose.tsx'
import { current } from './conversations.ts'
import { RemoveTurn } from './remove-turn.tsx'
import { Versions } from './versions.tsx'

/** What arrives faster than this came in one piece, which says nothing about the speed. */
const measurableMs = 5
const endings = { writing: '', done: '', stopped: 'stopped by you', cut: 'reached the token limit', failed: '' } as const

/** What the model said, how fast, and the ways to use, redo or continue it. */
export function Answer({ turn, last }: { turn: Turn; last: boolean }): VNode {
  const writing = turn.state === 'writing'
  const isOpenEnded = last && turn.content !== '' && turn.state !== 'done'
  return (
    <article class="turn-answer" data-state={turn.state}>
      <span class="hidden-text">The model: </span>
      {turn.content || writing ? <Prose text={turn.content} caret={writing} /> : null}
      {turn.failure ? (
        <p class="note bad" role="alert">
          {turn.failure}
        </p>
      ) : null}
      {writing ? null : (
        <footer class="turn-foot">
          {turn.content ? <CopyButton text={turn.content} /> : null}
          {isOpenEnded ? (
            <Button tone="quiet" size="small" icon="next" onClick={() => current.value.goOn(turn)}>
              Go on
            </Button>
          ) : null}
          <Button tone="quiet" size="small" icon="again" onClick={() => current.value.regenerate(turn)}>
            {turn.failure ? 'Try again' : 'Regenerate'}
          </Button>
          <RemoveTurn turn={turn} />
          <Versions turn={turn} />
          <span>{[endings[turn.state], turn.model, ...factTexts(turn)].filter(Boolean).join(' · ')}</span>
        </footer>
      )}
    </article>
  )
}

function factTexts({ facts }: Turn): readonly string[] {
  if (!facts) return []
  const { promptTokens, completionTokens, firstTextMs, writingMs } = facts
  const speed =
    completionTokens > 1 && writingMs >= measurableMs ? [`${Math.round(((completionTokens - 1) / writingMs) * 1000)} tokens/s`] : []
  return [
    `${promptTokens} tokens read`,
    `${completionTokens} written`,
    ...speed,
    `first text after ${durationText(Math.max(0, firstTextMs))}`,
  ]
}
