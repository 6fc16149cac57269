import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { OwnDeletion } from '../../../contract/account.ts'
import { faultOf } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { FormDialog } from '../../parts/dialog-form.tsx'
import { PasswordField } from '../../parts/fields/account-fields.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'

interface DeleteAccountDialogProps {
  readonly title: string
  /** The account's name, which the user must type. */
  readonly name: string
  /** Whether the password is required too. */
  readonly needsPassword?: boolean
  /** Deletes it. A failure is shown, and the dialog stays open. */
  readonly run: (deletion: OwnDeletion) => Promise<void>
  readonly onClose: () => void
}

/** Confirms the deletion of an account and all its data; the user types its name. */
export function DeleteAccountDialog({ title, name, needsPassword = false, run, onClose }: DeleteAccountDialogProps): VNode {
  const typed = useSignal('')
  const password = useSignal('')
  const form = useSubmit(() => run({ name: typed.value, ...(needsPassword && { password: password.value }) }))
  return (
    <FormDialog
      title={title}
      action={t`Delete everything`}
      form={form}
      fields={['name', 'password']}
      disabled={typed.value.trim() !== name}
      onClose={onClose}
    >
      <p class="soft">
        {t`Conversations, files, images, results, access tokens and usage are deleted for good. Running and waiting requests are cancelled. Only the audit log keeps its entries.`}
      </p>
      <TextField
        label={t`Type ${name} to confirm`}
        autocomplete="off"
        required
        fault={faultOf(form.failure.value, 'name')}
        {...bind(typed)}
      />
      {needsPassword ? <PasswordField text={password} hint={t`Confirm it’s you.`} fault={faultOf(form.failure.value, 'password')} /> : null}
    </FormDialog>
  )
}
