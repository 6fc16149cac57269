import type { ComponentChildren, VNode } from 'preact'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { AnswerBody } from './answer-body.tsx'
import { answerFacts } from './answer-facts.ts'

interface AnswerSheetProps {
  readonly turn: Turn
  /** The accessible name. */
  readonly label: string
  readonly heading: string
  /** The buttons. */
  readonly children: ComponentChildren
}

/** One of several messages side by side, of which the user picks one. */
export function AnswerSheet({ turn, label, heading, children }: AnswerSheetProps): VNode {
  return (
    <article class="turn-answer sheet" data-state={turn.state} aria-label={label}>
      <h3 class="clipped" title={turn.model ?? ''}>
        {heading}
      </h3>
      {turn.role === 'user' ? <p class="said-version">{turn.content}</p> : <AnswerBody turn={turn} />}
      <footer class="turn-foot">
        {children}
        <span>{answerFacts(turn).join(' · ')}</span>
      </footer>
    </article>
  )
}

/** Continues the conversation with an answer, or a version of a message. */
export function UseAnswer({ label = t`Use this answer`, about, choose }: { label?: string; about: string; choose: () => void }): VNode {
  return (
    <Button tone="primary" size="small" onClick={choose}>
      {label}
      <span class="hidden-text">, {about}</span>
    </Button>
  )
}
