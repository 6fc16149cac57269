import type { VNode } from 'preact'
import { causeOf, languageOf, requestIdOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'
import { FailureDetail } from './failure-detail.tsx'

/** Says what went wrong, with a way to try again. */
export function FailureNote({ failure, retry }: { failure: unknown; retry?: () => unknown }): VNode {
  return (
    <div class="note bad" role="alert">
      <span>
        <span lang={languageOf(failure)}>{sentenceOf(failure)}</span>
        <FailureDetail requestId={requestIdOf(failure)} cause={causeOf(failure)} />
      </span>
      {retry ? <Button size="small" onClick={retry}>{t`Try again`}</Button> : null}
    </div>
  )
}
