import type { ComponentChildren, VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNote } from './failure-note.tsx'
import { type Submission, useSubmit } from './use-submit.ts'

interface FormDialogProps {
  readonly title: string
  /** The label of the submit button. */
  readonly action: string
  readonly form: Submission
  /** Whether the form is incomplete. */
  readonly disabled?: boolean
  /** Fields that show their own faults. */
  readonly fields?: readonly string[]
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A form in a dialog. A failure is shown above its fields. */
export function FormDialog({ title, action, form, disabled = false, fields = [], onClose, children }: FormDialogProps): VNode {
  const { busy, failure, submit } = form
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} fields={fields} /> : null}
        {children}
        <DialogChoice busy={busy.value} disabled={disabled} onClose={onClose}>
          {action}
        </DialogChoice>
      </form>
    </Dialog>
  )
}

interface ConfirmDialogProps extends Pick<FormDialogProps, 'title' | 'action' | 'onClose'> {
  /** The consequences. */
  readonly children: ComponentChildren
  /** Runs the action. A failure is shown, and the dialog stays open. */
  readonly run: () => Promise<void>
}

/** Confirms an action that affects others. */
export function ConfirmDialog({ children, run, ...dialog }: ConfirmDialogProps): VNode {
  const form = useSubmit(async () => {
    await run()
    dialog.onClose()
  })
  return (
    <FormDialog {...dialog} form={form}>
      <p class="soft">{children}</p>
    </FormDialog>
  )
}

interface DialogChoiceProps extends Pick<FormDialogProps, 'disabled' | 'onClose'> {
  /** The label of the submit button. */
  readonly children: ComponentChildren
  /** Whether the action is running. */
  readonly busy: boolean
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
