import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { OwnSignInWays } from '../../../contract/own-sign-in-ways.ts'
import { faultOf, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { FormDialog } from '../../parts/dialog-form.tsx'
import { PasswordField } from '../../parts/fields/account-fields.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { createPasskey } from '../../parts/sign-in/use-passkey.ts'
import { useSubmit } from '../../parts/use-submit.ts'
import { showToast } from '../../state/toasts.ts'

type ShownPasskey = NonNullable<OwnSignInWays['passkeys']>[number]

interface PasskeyLedgerProps {
  readonly passkeys: readonly ShownPasskey[]
  readonly reload: () => Promise<void>
}

/** The passkeys that sign in to this account. */
export function PasskeyLedger({ passkeys, reload }: PasskeyLedgerProps): VNode {
  const adding = useSignal(false)
  const remove = async ({ id, name }: ShownPasskey) => {
    await send(`/console/api/passkeys/${id}`, { method: 'DELETE' })
    showToast(t`You can no longer sign in with ${name}.`)
    await reload()
  }
  const columns: readonly Column<ShownPasskey>[] = [
    {
      title: t`Name`,
      kind: 'lead',
      cell: ({ name }) => <Clipped text={name} />,
    },
    { title: t`Added`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: t`Last used`, cell: ({ lastUsedAt }) => (lastUsedAt === null ? t`never` : <Moment at={lastUsedAt} />) },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: (passkey) => <Button tone="quiet" size="small" onClick={() => remove(passkey)} about={passkey.name}>{t`Remove`}</Button>,
    },
  ]
  return (
    <section class="stack" aria-label={t`Passkeys`}>
      <h2>{t`Passkeys`}</h2>
      <p class="soft">{t`Sign in with a touch or PIN on this device or a security key, without a password or code.`}</p>
      {passkeys.length > 0 ? <Ledger label={t`Passkeys`} columns={columns} rows={passkeys} keyOf={({ id }) => id} /> : null}
      <div>
        <Button onClick={() => (adding.value = true)}>{t`Add a passkey`}</Button>
      </div>
      {adding.value ? <NewPasskeyDialog reload={reload} onClose={() => (adding.value = false)} /> : null}
    </section>
  )
}

function NewPasskeyDialog({ reload, onClose }: { reload: () => Promise<void>; onClose: () => void }): VNode {
  const name = useSignal('')
  const password = useSignal('')
  const form = useSubmit(async () => {
    await createPasskey({ name: name.value, password: password.value })
    await reload()
    onClose()
  })
  return (
    <FormDialog title={t`Add a passkey`} action={t`Continue`} form={form} fields={['password']} onClose={onClose}>
      <TextField label={t`Name`} required maxLength={100} hint={t`So you can tell it apart: this laptop, the blue key.`} {...bind(name)} />
      <PasswordField text={password} hint={t`Confirm it’s you.`} fault={faultOf(form.failure.value, 'password')} />
    </FormDialog>
  )
}
