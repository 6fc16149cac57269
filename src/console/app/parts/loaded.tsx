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

/** Shows a resource once it is there; lines of grey before, a sentence when it failed, also above what is shown when a newer one could not be had. */
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
