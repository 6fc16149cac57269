import type { VNode } from 'preact'
import { requestIdOf, sentenceOf } from '../interface/request.ts'
import { Button } from './button.tsx'
import { RequestId } from './request-id.tsx'

/** Says what went wrong, with a way to try again. */
export function FailureNote({ failure, retry }: { failure: unknown; retry?: () => void }): VNode {
  return (
    <div class="note bad" role="alert">
      <span>
        {sentenceOf(failure)}
        <RequestId id={requestIdOf(failure)} />
      </span>
      {retry ? (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      ) : null}
    </div>
  )
}
