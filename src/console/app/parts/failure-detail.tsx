import type { VNode } from 'preact'
import { t } from '../language/t.ts'

interface FailureDetailProps {
  /** The request's id in the service's log; null = there was no answer. */
  readonly requestId: string | null
  /** The cause; null except for owners. */
  readonly cause?: string | null
}

/** The details of a failure: its cause, for owners, and its id in the service's log. */
export function FailureDetail({ requestId, cause = null }: FailureDetailProps): VNode {
  return (
    <>
      {cause === null ? null : <small class="failure-detail">{t.rich`Details (owners only): ${<span lang="en">{cause}</span>}`}</small>}
      {requestId === null ? null : <small class="failure-detail">{t.rich`Request ${<code>{requestId}</code>}`}</small>}
    </>
  )
}
