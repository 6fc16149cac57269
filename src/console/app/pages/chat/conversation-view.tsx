import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Turn } from '../../../../core/chat/conversation.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { reader } from '../../parts/markdown/prose.tsx'
import { spokenText } from '../../parts/markdown/spoken-text.ts'
import { Comparison } from './compare/comparison.tsx'
import { current } from './conversations.ts'
import { useFollowEnd } from './follow-end.ts'
import { endingOf } from './turns/answer-facts.ts'
import { Messages } from './turns/messages.tsx'

/** How many messages are drawn together. */
const partLength = 8
const allCount = { leftOut: 0, countsFrom: null }

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
  const leftOut = shown.value.length - counted.value.length
  const countsFrom = leftOut > 0 ? (counted.value[0]?.id ?? null) : null
  const before = useRef<readonly (readonly Turn[])[]>([])
  const parts = inParts(turns, before.current)
  before.current = parts
  return (
    <div class="conversation" role="log" aria-label={t`Conversation`} aria-live="off" ref={element}>
      {parts.map((part, index) => (
        <Messages
          turns={part}
          lastId={index === parts.length - 1 ? (turns.at(-1)?.id ?? null) : null}
          {...(part.some(({ id }) => id === countsFrom) ? { leftOut, countsFrom } : allCount)}
          late={index < parts.length - 2}
          key={index}
        />
      ))}
      {isComparing ? <Comparison /> : null}
      {following.value ? null : <Button size="small" class="to-end" onClick={toEnd}>{t`To the end`}</Button>}
      <Announcement />
    </div>
  )
}

/** Messages in parts of some each; parts of which no message changed are the same arrays as before, so that nothing of them is drawn again. */
function inParts(turns: readonly Turn[], before: readonly (readonly Turn[])[]): readonly (readonly Turn[])[] {
  return Array.from({ length: Math.ceil(turns.length / partLength) }, (_, index) => {
    const known = before[index]
    const part = turns.slice(index * partLength, (index + 1) * partLength)
    return known?.length === part.length && known.every((turn, at) => turn === part[at]) ? known : part
  })
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
  // What is there when the conversation is opened is no news.
  const opened = useRef(last)
  const whole = (answer: Turn) => [beginningOf(answer.content), endingOf(answer)].filter(Boolean).join(' ')
  const text =
    last?.role !== 'assistant' || last === opened.current ? '' : last.state === 'writing' ? t`The model is writing.` : whole(last)
  return (
    <div class="hidden-text" aria-live="polite">
      {compared.length > 0 && !current.value.writing.value ? t`${compared.length} answers are written.` : text}
    </div>
  )
}
