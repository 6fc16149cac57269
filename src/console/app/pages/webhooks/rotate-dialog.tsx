import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogChoice } from '../../parts/dialog-choice.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { showToast } from '../../state/toasts.ts'
import { rotateSecret } from './webhook-requests.ts'

/** Asks once more before a new secret signs. */
export function RotateDialog({ onClose, onRotated }: { onClose: () => void; onRotated: () => void }): VNode {
  const { busy, failure, submit } = useSubmit(async () => {
    await rotateSecret()
    showToast(t`A new secret signs from now on.`)
    onRotated()
  })
  return (
    <Dialog title={t`Rotate the secret?`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <p>{t`The new secret signs at once. The current one also signs for 24 hours: give the new one to every receiver by then. Any older secret ends now.`}</p>
        <DialogChoice busy={busy.value} onClose={onClose}>{t`Rotate`}</DialogChoice>
      </form>
    </Dialog>
  )
}
