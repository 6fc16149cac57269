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

/** Number of messages drawn together. */
const partLength = 4
const allCount = { leftOut: 0, countsFrom: null }

/** The messages. The end stays in view until the user scrolls away; a sent message is always scrolled into view. */
export function ConversationView(): VNode {
  const element = useRef<HTMLDivElement>(null)
  const { following, toEnd } = useFollowEnd(element)
  const { turns, counted, compared } = current.value
  const isComparing = compared.value.length > 0
  const lastId = isComparing ? null : (turns.value.at(-1)?.id ?? null)
  const lastAskedAt = turns.value.findLast((turn) => turn.role === 'user')?.at ?? 0
  const seen = useRef(0)
  useEffect(() => {
    // Another version of an earlier message must not scroll to the end.
    if (lastAskedAt > seen.current) toEnd()
    seen.current = Math.max(seen.current, lastAskedAt)
  }, [lastAskedAt])
  const leftOut = turns.value.length - counted.value.length
  const countsFrom = leftOut > 0 ? (counted.value[0]?.id ?? null) : null
  const before = useRef<readonly (readonly Turn[])[]>([])
  const parts = inParts(turns.value, before.current)
  before.current = parts
  return (
    <div class="conversation" role="log" aria-label={t`Conversation`} aria-live="off" ref={element}>
      {parts.map((part, index) => (
        <Messages
          turns={part}
          lastId={index === parts.length - 1 ? lastId : null}
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

/** Splits messages into parts. A part without changes is the same array as before, so that it is not drawn again. */
function inParts(turns: readonly Turn[], before: readonly (readonly Turn[])[]): readonly (readonly Turn[])[] {
  return Array.from({ length: Math.ceil(turns.length / partLength) }, (_, index) => {
    const known = before[index]
    const part = turns.slice(index * partLength, (index + 1) * partLength)
    return known?.length === part.length && known.every((turn, at) => turn === part[at]) ? known : part
  })
}

/** How much of an answer's Markdown is announced. */
const maxRead = 2000

function beginningOf(content: string): string {
  return reader.value === null ? '' : spokenText(reader.value(content.slice(0, maxRead)))
}

/** Announces the beginning of a finished answer, or of another version, to screen readers. Failures are separate alerts. */
function Announcement(): VNode {
  const compared = current.value.compared.value
  const last = current.value.turns.value.at(-1)
  const answers = last?.role === 'assistant' ? [last] : compared
  // Answers that exist when the conversation is opened are not announced.
  const opened = useRef(answers)
  const isNew = answers.length !== opened.current.length || answers.some((answer, index) => answer !== opened.current[index])
  return (
    <div class="hidden-text" aria-live="polite">
      {isNew ? announced(answers) : ''}
    </div>
  )
}

function announced(answers: readonly Turn[]): string {
  const [only, ...others] = answers
  if (only === undefined) return ''
  if (answers.some(({ state }) => state === 'writing')) return t`The model is writing.`
  if (others.length > 0) return t`${answers.length} answers are finished.`
  return [beginningOf(only.content), endingOf(only)].filter(Boolean).join(' ')
}
