import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { reader } from '../../parts/markdown/prose.tsx'
import { spokenText } from '../../parts/markdown/spoken-text.ts'
import { Comparison } from './compare/comparison.tsx'
import { LeftOut } from './context/context-gauge.tsx'
import { current } from './conversations.ts'
import { useFollowEnd } from './follow-end.ts'
import { Answer } from './turns/answer.tsx'
import { endingOf } from './turns/answer-facts.ts'
import { Said } from './turns/said.tsx'

/** What was said so far. Its end stays in view until one scrolls away; what one sends always comes into view. */
export function ConversationView(): VNode {
  const element = useRef<HTMLDivElement>(null)
  const { following, toEnd } = useFollowEnd(element)
  const { turns: shown, counted, comparing } = current.value
  const isComparing = comparing.value.length > 0
  // The answers that are compared stand beside each other, in place of the one that is the conversation's for now.
  const turns = isComparing ? shown.value.slice(0, -1) : shown.value
  const lastAskedAt = turns.findLast((turn) => turn.role === 'user')?.at ?? 0
  const seen = useRef(0)
  useEffect(() => {
    // Earlier versions are looked at where they stand.
    if (lastAskedAt > seen.current) toEnd()
    seen.current = Math.max(seen.current, lastAskedAt)
  }, [lastAskedAt])
  const lastId = turns.at(-1)?.id
  const leftOut = shown.value.length - counted.value.length
  return (
    <div class="conversation" role="log" aria-label={t`Conversation`} aria-live="off" ref={element}>
      {turns.map((turn, index) => [
        index > 0 && index === leftOut ? <LeftOut count={leftOut} key="left out" /> : null,
        turn.role === 'user' ? (
          <Said turn={turn} key={`said after ${turn.parent}`} />
        ) : (
          <Answer turn={turn} last={turn.id === lastId} key={`answer to ${turn.parent}`} />
        ),
      ])}
      {isComparing ? <Comparison /> : null}
      {following.value ? null : <Button size="small" class="to-end" onClick={toEnd}>{t`To the end`}</Button>}
      <Announcement />
    </div>
  )
}

/** Characters of Markdown from which the beginning of an answer is said. */
const mostRead = 2000

function beginningOf(content: string): string {
  return reader.value === null ? '' : spokenText(reader.value(content.slice(0, mostRead)))
}

/** Tells a screen reader how an answer begins when it is whole, or another version is shown; failures are alerts of their own. */
function Announcement(): VNode {
  const compared = current.value.compared()
  const last = current.value.turns.value.at(-1)
  const whole = last && [beginningOf(last.content), endingOf(last)].filter(Boolean).join(' ')
  const text = last?.role !== 'assistant' ? '' : last.state === 'writing' ? t`The model is writing.` : whole
  return (
    <div class="hidden-text" aria-live="polite">
      {compared.length > 0 && !current.value.writing.value ? t`${compared.length} answers are written.` : text}
    </div>
  )
}
