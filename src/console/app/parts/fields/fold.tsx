import type { ComponentChildren, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface FoldProps {
  readonly title: string
  /** What is set inside, seen while it is folded. */
  readonly note?: string
  /** Whether it stands open at first: what is in use is not hidden. */
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** Something that few need every time, folded away under its title. */
export function Fold({ title, note, open = false, children }: FoldProps): VNode {
  const first = useRef(open)
  return (
    <details class="fold" open={first.current}>
      <summary>
        <Icon name="next" size={14} />
        {title}
        {note ? <span class="fold-note">{note}</span> : null}
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}
