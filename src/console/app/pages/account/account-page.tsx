import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountChange, OwnDeletion } from '../../../contract/account.ts'
import type { OwnSignInWays } from '../../../contract/own-sign-in-ways.ts'
import type { SignedIn } from '../../../contract/session.ts'
import { faultOf, request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { EmailField, NameField, NewPasswordField, PasswordField } from '../../parts/fields/account-fields.tsx'
import { bindChecked } from '../../parts/fields/bind.ts'
import { Check } from '../../parts/fields/check.tsx'
import { OwnLimits } from '../../parts/limits/own-limits.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { SignInFaultNote } from '../../parts/sign-in/sign-in-fault-note.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { useResource } from '../../state/resource.ts'
import { session, signOut } from '../../state/session.ts'
import { showToast } from '../../state/toasts.ts'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { IdentityLedger } from './identity-ledger.tsx'
import { PasskeyLedger } from './passkey-ledger.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionLedger } from './session-ledger.tsx'

/** The account's name, and its ways to sign in. */
export function AccountPage({ account }: { account: Account }): VNode {
  const { resource, reload } = useResource((signal) => request<OwnSignInWays>('/console/api/sign-in-ways', { signal }), [])
  return (
    <Page
      title={t`Account`}
      intro={account.role === 'owner' ? t`You are an owner of this service.` : t`You are a member of this service.`}
      width="narrow"
    >
      <SignInFaultNote />
      <Loaded resource={resource} retry={reload}>
        {(ways) => (
          <>
            {ways.password ? <AccountForm account={account} /> : <NamePlate account={account} />}
            {ways.password ? <SecondFactorSection ways={ways} reload={reload} /> : null}
            {ways.password && ways.passkeys ? <PasskeyLedger passkeys={ways.passkeys} reload={reload} /> : null}
            <IdentityLedger ways={ways} reload={reload} />
            {/* Placed above sections that load, so that it does not move. */}
            <OwnLimits />
            <SessionLedger />
            <DeletionSection account={account} hasPassword={ways.password} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Deletes the account. */
function DeletionSection({ account: { name }, hasPassword }: { account: Account; hasPassword: boolean }): VNode {
  const asking = useSignal(false)
  const run = async (body: OwnDeletion) => {
    await send('/console/api/account/deletion', { method: 'POST', body })
    await signOut('deleted')
  }
  return (
    <section class="sheet stack tight">
      <h2>{t`Delete account`}</h2>
      <p class="soft">{t`Deletes your account and all its data.`}</p>
      <div>
        <Button tone="danger" onClick={() => (asking.value = true)}>{t`Delete account…`}</Button>
      </div>
      {asking.value ? (
        <DeleteAccountDialog
          title={t`Delete your account?`}
          name={name}
          needsPassword={hasPassword}
          run={run}
          onClose={() => (asking.value = false)}
        />
      ) : null}
    </section>
  )
}

/** Replaces the form for an account without a password. */
function NamePlate({ account: { name, email } }: { account: Account }): VNode {
  return (
    <section class="sheet stack tight">
      <h2>{name}</h2>
      <p class="soft">
        {email ?? t`Without an e-mail.`} {t`You sign in with your organisation, and have no password here.`}
      </p>
    </section>
  )
}

/** Name, e-mail and password. */
function AccountForm({ account }: { account: Account }): VNode {
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
    const signsOut = body.newPassword !== undefined || body.email !== account.email
    const answer = await request<SignedIn>('/console/api/account', { method: 'PATCH', body })
    session.value = { state: 'signed-in', account: answer.account }
    current.value = ''
    next.value = ''
    showToast(
      revoke.value
        ? t`Saved. Other browsers were signed out and your tokens revoked.`
        : signsOut
          ? t`Saved. Other browsers were signed out.`
          : t`Saved.`,
    )
    revoke.value = false
  })
  return (
    <form class="sheet stack" onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} fields={['name', 'email', 'newPassword', 'currentPassword']} /> : null}
      <NameField text={name} fault={faultOf(failure.value, 'name')} />
      <EmailField text={email} fault={faultOf(failure.value, 'email')} />
      <NewPasswordField
        text={next}
        label={t`New password`}
        required={false}
        hint={t`Leave empty to keep your current password. A new password or e-mail signs out your other browsers.`}
        fault={faultOf(failure.value, 'newPassword')}
      />
      <Check
        label={t`Revoke my access tokens and sign out my other browsers`}
        hint={t`Choose this if someone else may know your password. Programs that use these tokens are then rejected.`}
        {...bindChecked(revoke)}
      />
      <PasswordField
        text={current}
        label={t`Current password`}
        hint={t`Confirm it’s you.`}
        fault={faultOf(failure.value, 'currentPassword')}
      />
      <div>
        <Button tone="primary" busy={busy.value}>{t`Save`}</Button>
      </div>
    </form>
  )
}
