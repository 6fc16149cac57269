import type { VNode } from 'preact'

/** By which the service's log knows a request that failed; nothing where there was no answer. */
export function RequestId({ id }: { id: string | null }): VNode | null {
  if (id === null) return null
  return (
    <small class="request-id">
      Request <code>{id}</code>
    </small>
  )
}
