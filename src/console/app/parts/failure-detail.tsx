import type { VNode } from 'preact'
import { t } from '../language/t.ts'

interface FailureDetailProps {
  /** By which the service's log knows what failed; null = there was no answer. */
  readonly requestId: string | null
  /** Why; null for everybody but owners. */
  readonly cause?: string | null
}

/** What there is to a failure besides its sentence: for owners why it happened, and what the service's log calls it. */
export function FailureDetail({ requestId, cause = null }: FailureDetailProps): VNode {
  return (
    <>
      {cause === null ? null : <small class="failure-detail">{t.rich`Details (owners only): ${<span lang="en">{cause}</span>}`}</small>}
      {requestId === null ? null : <small class="failure-detail">{t.rich`Request ${<code>{requestId}</code>}`}</small>}
    </>
  )
}
