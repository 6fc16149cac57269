import type { ComponentChildren, VNode } from 'preact'
import { Dialog } from './dialog.tsx'
import { DialogChoice } from './dialog-choice.tsx'
import { FailureNote } from './failure-note.tsx'
import { useSubmit } from './use-submit.ts'

interface ConfirmDialogProps {
  readonly title: string
  /** The label of the button. */
  readonly action: string
  /** The consequences. */
  readonly children: ComponentChildren
  /** Runs the action. A failure is shown, and the dialog stays open. */
  readonly run: () => Promise<void>
  readonly onClose: () => void
}

/** Confirms an action that affects others. */
export function ConfirmDialog({ title, action, children, run, onClose }: ConfirmDialogProps): VNode {
  const { busy, failure, submit } = useSubmit(async () => {
    await run()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <p class="soft">{children}</p>
        <DialogChoice busy={busy.value} onClose={onClose}>
          {action}
        </DialogChoice>
      </form>
    </Dialog>
  )
}
