import type { ComponentChildren, VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface DialogChoiceProps {
  /** What the dialog's form does, as its button says it. */
  readonly children: ComponentChildren
  /** Whether it is under way. */
  readonly busy: boolean
  /** Whether something is still missing. */
  readonly disabled?: boolean
  readonly onClose: () => void
}

/** The end of a dialog's form: do it, or leave. */
export function DialogChoice({ children, busy, disabled = false, onClose }: DialogChoiceProps): VNode {
  return (
    <div class="row">
      <Button tone="primary" busy={busy} disabled={disabled}>
        {children}
      </Button>
      <Button tone="quiet" onClick={onClose}>{t`Cancel`}</Button>
    </div>
  )
}
