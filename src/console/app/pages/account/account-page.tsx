import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountChange } from '../../../contract/account.ts'
import type { SignedIn } from '../../../contract/session.ts'
import { request } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { EmailField, NameField, NewPasswordField, PasswordField } from '../../parts/fields/account-fields.tsx'
import { Check } from '../../parts/fields/check.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { session } from '../../state/session.ts'
import { showToast } from '../../state/toasts.ts'
import { SessionLedger } from './session-ledger.tsx'

/** Name, e-mail and password of whoever is signed in. */
export function AccountPage({ account }: { account: Account }): VNode {
  const name = useSignal(account.name)
  const email = useSignal(account.email ?? '')
  const current = useSignal('')
  const next = useSignal('')
  const revoke = useSignal(false)
  const { busy, failure, submit } = useSubmit(async () => {
    const body: AccountChange = {
      name: name.value,
      email: email.value,
      currentPassword: current.value,
      ...(next.value && { newPassword: next.value }),
      ...(revoke.value && { revokeTokens: true }),
    }
    const answer = await request<SignedIn>('/console/api/account', { method: 'PATCH', body })
    session.value = { state: 'signed-in', account: answer.account }
    current.value = ''
    next.value = ''
    showToast(revoke.value ? 'Saved. Other browsers were signed out and your tokens revoked.' : 'Saved. Other browsers were signed out.')
    revoke.value = false
  })
  return (
    <Page title="Account" intro={`You are ${account.role === 'owner' ? 'an owner' : 'a member'} of this service.`} width="narrow">
      <form class="sheet stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <NameField text={name} />
        <EmailField text={email} />
        <NewPasswordField text={next} label="New password" required={false} hint="Leave it empty to keep the one you have." />
        <Check
          label="Revoke my access tokens too"
          hint="If somebody else may have known the password. Programs that use them will be refused."
          checked={revoke.value}
          onChange={(checked) => {
            revoke.value = checked
          }}
        />
        <PasswordField text={current} label="Current password" hint="To be sure that it is you." />
        <div>
          <Button tone="primary" disabled={busy.value}>
            Save
          </Button>
        </div>
      </form>
      <SessionLedger />
    </Page>
  )
}
