import type { ComponentChildren, VNode } from 'preact'
import { Dialog } from './dialog.tsx'
import { DialogChoice } from './dialog-choice.tsx'
import { FailureNote } from './failure-note.tsx'
import { useSubmit } from './use-submit.ts'

interface ConfirmDialogProps {
  readonly title: string
  /** What the button says. */
  readonly action: string
  /** What follows from it. */
  readonly children: ComponentChildren
  /** Does it; a failure is shown, and the dialog stays. */
  readonly run: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before something is done that touches others. */
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
