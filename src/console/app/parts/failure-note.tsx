import type { VNode } from 'preact'
import { sentenceOf } from '../interface/request.ts'

/** Says what went wrong, with a way to try again. */
export function FailureNote({ failure, retry }: { failure: unknown; retry?: () => void }): VNode {
  return (
    <div class="note bad" role="alert">
      <span>{sentenceOf(failure)}</span>
      {retry ? (
        <button type="button" class="button small" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  )
}
