import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Answer } from './answer.tsx'
import { turns } from './conversation.ts'
import { useFollowEnd } from './follow-end.ts'

/** What was said so far. Its end stays in view until one scrolls away; what one sends always comes into view. */
export function ConversationView(): VNode {
  const element = useRef<HTMLDivElement>(null)
  const { following, toEnd } = useFollowEnd(element)
  const lastSaid = turns.value.findLast((turn) => turn.role === 'user')?.id
  useEffect(toEnd, [lastSaid])
  const lastId = turns.value.at(-1)?.id
  return (
    <div class="conversation" role="log" aria-label="Conversation" aria-live="off" ref={element}>
      {turns.value.map((turn) =>
        turn.role === 'user' ? (
          <div class="turn-user" key={turn.id}>
            <span class="hidden-text">You: </span>
            {turn.content}
          </div>
        ) : (
          <Answer turn={turn} last={turn.id === lastId} key={turn.id} />
        ),
      )}
      {following.value ? null : (
        <Button size="small" class="to-end" onClick={toEnd}>
          To the end
        </Button>
      )}
      <Announcement />
    </div>
  )
}

/** Tells a screen reader when an answer is whole, instead of every token; failures are alerts of their own. */
function Announcement(): VNode {
  const last = turns.value.at(-1)
  const text = last?.role !== 'assistant' ? '' : last.state === 'writing' ? 'The model is writing.' : last.content
  return (
    <div class="hidden-text" aria-live="polite">
      {text}
    </div>
  )
}
