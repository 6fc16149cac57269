import type { ComponentChildren, VNode } from 'preact'
import { causeOf, faultOf, languageOf, requestIdOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface FailureNoteProps {
  readonly failure: unknown
  readonly retry?: () => unknown
  /** Fields that show their own faults. */
  readonly fields?: readonly string[]
}

/** Shows a failure, with a button to retry. */
export function FailureNote({ failure, retry, fields = [] }: FailureNoteProps): VNode | null {
  if (fields.some((field) => faultOf(failure, field) !== null)) return null
  return (
    <FailureBox
      text={sentenceOf(failure)}
      language={languageOf(failure)}
      requestId={requestIdOf(failure)}
      cause={causeOf(failure)}
      role="alert"
    >
      {retry ? <Button size="small" onClick={retry}>{t`Try again`}</Button> : null}
    </FailureBox>
  )
}

interface FailureBoxProps {
  readonly text: string
  /** The language of the text; absent = the page's. */
  readonly language: string | undefined
  /** The request's id in the service's log; null = there was no answer. */
  readonly requestId: string | null
  /** The cause; null except for owners. */
  readonly cause: string | null
  /** `alert` = read to screen readers at once. */
  readonly role?: 'alert'
  readonly children?: ComponentChildren
}

/** A failure's sentence, its cause (for owners), its id in the service's log, and what can be done. */
export function FailureBox({ text, language, requestId, cause, role, children }: FailureBoxProps): VNode {
  return (
    <div class="note bad" role={role}>
      <span>
        <span lang={language}>{text}</span>
        {cause === null ? null : (
          <small class="failure-detail">{t.rich`Details (owners only): ${<span lang="en">{cause.replaceAll(/\.? ← /g, ': ')}</span>}`}</small>
        )}
        {requestId === null ? null : <small class="failure-detail">{t.rich`Request ${<code>{requestId}</code>}`}</small>}
      </span>
      {children}
    </div>
  )
}
