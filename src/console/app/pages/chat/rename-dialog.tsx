import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type ListedConversation, longestTitle } from '../../../../core/chat/conversation.ts'
import { isVisible } from '../../../../core/text/visible-text.ts'
import { t } from '../../language/t.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogChoice } from '../../parts/dialog-form.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { announce } from '../../state/toasts.ts'
import { changeHead } from './conversations.ts'

/** Renames a conversation. */
export function RenameDialog({ conversation, onClose }: { conversation: ListedConversation; onClose: () => void }): VNode {
  const title = useSignal(conversation.title)
  const { busy, failure, submit } = useSubmit(async () => {
    await changeHead(conversation.id, { title: title.value.trim() })
    onClose()
    announce(t`Conversation renamed.`)
  })
  return (
    <Dialog title={t`Rename the conversation`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField label={t`Name`} maxLength={longestTitle} {...bind(title)} />
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <DialogChoice busy={busy.value} disabled={!isVisible(title.value)} onClose={onClose}>{t`Rename`}</DialogChoice>
      </form>
    </Dialog>
  )
}
