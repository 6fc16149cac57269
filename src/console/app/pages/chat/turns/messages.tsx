import { batch, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { LeftOut } from '../context/context-gauge.tsx'
import { Answer } from './answer.tsx'
import { Said } from './said.tsx'

/** Distance from the window within which messages are drawn, so that users who scroll to them find them complete. */
const nearPx = 400

interface MessagesProps {
  /** Consecutive messages. */
  readonly turns: readonly Turn[]
  /** The last message of the conversation, if it is among them. */
  readonly lastId: string | null
  /** The number of messages that models do not read, if the first that they read is among these. */
  readonly leftOut: number
  /** The first message that models read. */
  readonly countsFrom: string | null
  /** Whether plain text is enough until they come near the window. */
  readonly late: boolean
}

/** Messages of users and models. Far from the window they are plain text, which the browser's search and screen readers can find. */
export function Messages({ turns, lastId, leftOut, countsFrom, late }: MessagesProps): VNode {
  const isDrawn = useSignal(!late)
  const left = (turn: Turn) => (turn.id === countsFrom ? <LeftOut count={leftOut} key="left out" /> : null)
  if (!isDrawn.value) return <Far onNear={() => (isDrawn.value = true)}>{turns.map((turn) => [left(turn), plainMessage(turn)])}</Far>
  return (
    <>{turns.map((turn) => [left(turn), <Message turn={turn} last={turn.id === lastId} key={`${turn.role} after ${turn.parent}`} />])}</>
  )
}

/** Neither laid out nor painted while out of view. */
function Far({ onNear, children }: { onNear: () => void; children: ComponentChildren }): VNode {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => (element.current === null ? undefined : whenNear(element.current, onNear)), [])
  return (
    <div class="turns-far" ref={element}>
      {children}
    </div>
  )
}

function Message({ turn, last }: { turn: Turn; last: boolean }): VNode {
  return turn.role === 'user' ? <Said turn={turn} last={last} /> : <Answer turn={turn} last={last} />
}

function plainMessage({ id, role, state, content }: Turn): VNode {
  if (role === 'assistant')
    return (
      <article class="turn-answer" data-state={state} key={id}>
        <span class="hidden-text">{t`The model`}: </span>
        <div class="prose plain" dir="auto">
          {content}
        </div>
      </article>
    )
  return (
    <div class="turn-said" key={id}>
      <div class="turn-user">
        <span class="hidden-text">{t`You`}: </span>
        {content}
      </div>
    </div>
  )
}

const awaited = new Map<Element, () => void>()
let observer: IntersectionObserver | undefined

/**
 * Calls back when an element is near the window, once for all that come near together.
 *
 * @returns a function that stops waiting.
 */
function whenNear(element: Element, react: () => void): () => void {
  const onNear = (entries: readonly IntersectionObserverEntry[]) => {
    batch(() => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) awaited.get(target)?.()
    })
  }
  observer ??= new IntersectionObserver(onNear, { rootMargin: `${nearPx}px 0px` })
  awaited.set(element, react)
  observer.observe(element)
  return () => {
    awaited.delete(element)
    observer?.unobserve(element)
  }
}
