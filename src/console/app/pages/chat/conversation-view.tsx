import { useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { Answer } from './answer.tsx'
import { turns } from './conversation.ts'

/** What was said so far. New text is followed as long as one is at the bottom. */
export function ConversationView(): VNode {
  useSignalEffect(() => {
    const last = turns.value.at(-1)
    const root = document.documentElement
    const nearEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 160
    if (last?.role === 'user' || nearEnd) requestAnimationFrame(() => root.scrollTo({ top: root.scrollHeight }))
  })
  const lastId = turns.value.at(-1)?.id
  return (
    <div class="conversation" role="log" aria-label="Conversation" aria-live="off">
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
