import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import type { Resource } from '../state/resource.ts'
import { FailureNote } from './failure-note.tsx'
import { Ghosts } from './ghosts.tsx'

interface LoadedProps<Value> {
  readonly resource: ReadonlySignal<Resource<Value>>
  readonly retry: () => unknown
  readonly children: (value: Value) => ComponentChildren
}

/**
 * Shows a resource when it is loaded, grey lines before, and a message after a failure. If only a reload failed, the message is shown above
 * the old value.
 */
export function Loaded<Value>({ resource, retry, children }: LoadedProps<Value>): VNode {
  const current = resource.value
  switch (current.state) {
    case 'loading':
      return <Ghosts />
    case 'failed':
      return <FailureNote failure={current.failure} retry={retry} />
    case 'ready':
      return (
        <>
          {current.failure === undefined ? null : <FailureNote failure={current.failure} retry={retry} />}
          {children(current.value)}
        </>
      )
  }
}
