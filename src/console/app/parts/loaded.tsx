import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import type { Resource } from '../state/resource.ts'
import { FailureNote } from './failure-note.tsx'

interface LoadedProps<Value> {
  readonly resource: ReadonlySignal<Resource<Value>>
  readonly retry: () => void
  readonly children: (value: Value) => ComponentChildren
}

/** Shows a resource once it is there; lines of grey before, a sentence when it failed. */
export function Loaded<Value>({ resource, retry, children }: LoadedProps<Value>): VNode {
  const current = resource.value
  switch (current.state) {
    case 'loading':
      return (
        <div class="stack" aria-busy="true">
          <span class="hidden-text">Loading</span>
          <div class="ghost" style={{ height: '3rem' }} />
          <div class="ghost" style={{ height: '3rem' }} />
          <div class="ghost" style={{ height: '3rem', width: '70%' }} />
        </div>
      )
    case 'failed':
      return <FailureNote failure={current.failure} retry={retry} />
    case 'ready':
      return <>{children(current.value)}</>
  }
}
