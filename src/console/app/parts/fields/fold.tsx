import type { ComponentChildren, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface FoldProps {
  readonly title: string
  /** A summary of the settings inside, shown while it is closed; null = none. */
  readonly note?: string | null
  /** Whether it is open at first; settings in use should not be hidden. */
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** A collapsible section for settings that are rarely needed. */
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
