import type { ComponentChildren, VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface DialogChoiceProps {
  /** The label of the submit button. */
  readonly children: ComponentChildren
  /** Whether the action is running. */
  readonly busy: boolean
  /** Whether the form is incomplete. */
  readonly disabled?: boolean
  readonly onClose: () => void
}

/** The buttons of a dialog's form: submit and cancel. */
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
