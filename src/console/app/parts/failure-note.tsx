import type { VNode } from 'preact'
import { causeOf, faultOf, isMistake, languageOf, requestIdOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'
import { FailureDetail } from './failure-detail.tsx'

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
    <div class="note bad" role="alert">
      <span>
        <span lang={languageOf(failure)}>{sentenceOf(failure)}</span>
        <FailureDetail requestId={isMistake(failure) ? null : requestIdOf(failure)} cause={causeOf(failure)} />
      </span>
      {retry ? <Button size="small" onClick={retry}>{t`Try again`}</Button> : null}
    </div>
  )
}
