import type { ComponentChildren, VNode } from 'preact'
import { Icon } from '../icon.tsx'

interface FoldProps {
  readonly title: string
  /** What is set inside, seen while it is folded. */
  readonly note?: string
  readonly children: ComponentChildren
}

/** Something that few need every time, folded away under its title. */
export function Fold({ title, note, children }: FoldProps): VNode {
  return (
    <details class="fold">
      <summary>
        <Icon name="next" size={14} />
        {title}
        {note ? <span class="fold-note">{note}</span> : null}
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}
