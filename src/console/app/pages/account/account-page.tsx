import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import { request } from '../../interface/request.ts'
import { Page } from '../../layout/page.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { session } from '../../state/session.ts'
import { showToast } from '../../state/toasts.ts'

/** Name, e-mail and password of whoever is signed in. */
export function AccountPage({ account }: { account: Account }): VNode {
  const name = useSignal(account.name)
  const email = useSignal(account.email ?? '')
  const current = useSignal('')
  const next = useSignal('')
  const { busy, failure, submit } = useSubmit(async () => {
    const body = { name: name.value, email: email.value, currentPassword: current.value, newPassword: next.value || null }
    const answer = await request<{ account: Account }>('/console/api/account', { method: 'PATCH', body })
    session.value = { state: 'signed-in', account: answer.account }
    current.value = ''
    next.value = ''
    showToast('Saved. Other browsers were signed out.')
  })
  return (
    <Page title="Account" intro={`You are ${account.role === 'owner' ? 'an owner' : 'a member'} of this service.`} width="narrow">
      <form class="sheet stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <TextField
          label="Name"
          autocomplete="name"
          required
          maxLength={100}
          value={name.value}
          onInput={(text) => {
            name.value = text
          }}
        />
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          required
          value={email.value}
          onInput={(text) => {
            email.value = text
          }}
        />
        <TextField
          label="New password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          value={next.value}
          hint="Leave it empty to keep the one you have."
          onInput={(text) => {
            next.value = text
          }}
        />
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={current.value}
          hint="To be sure that it is you."
          onInput={(text) => {
            current.value = text
          }}
        />
        <div>
          <button type="submit" class="button primary" disabled={busy.value}>
            Save
          </button>
        </div>
      </form>
    </Page>
  )
}
