import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'

interface DropZoneProps {
  /** The file types that the browser offers, in the format of `accept`. */
  readonly accept: string
  readonly take: (file: File | undefined) => void
  /** The label. */
  readonly children: ComponentChildren
}

/** An area where one file is dropped or chosen. */
export function DropZone({ accept, take, children }: DropZoneProps): VNode {
  const over = useSignal(false)
  return (
    <label
      class={over.value ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault()
        over.value = true
      }}
      onDragLeave={() => {
        over.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        over.value = false
        take(event.dataTransfer?.files[0])
      }}
    >
      <input
        type="file"
        class="hidden-text"
        accept={accept}
        onChange={(event) => {
          take(event.currentTarget.files?.[0])
          // So that the same file can be chosen again.
          event.currentTarget.value = ''
        }}
      />
      {children}
    </label>
  )
}
