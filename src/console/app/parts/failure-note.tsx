import type { VNode } from 'preact'
import { causeOf, faultOf, isMistake, languageOf, requestIdOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'
import { FailureDetail } from './failure-detail.tsx'

interface FailureNoteProps {
  readonly failure: unknown
  readonly retry?: () => unknown
  /** The fields that say themselves what is wrong with them. */
  readonly fields?: readonly string[]
}

/** Says what went wrong, with a way to try again. */
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
