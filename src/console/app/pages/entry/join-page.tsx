import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { shortestPassword } from '../../../../core/account.ts'
import type { SignedIn, SignInRequested } from '../../../contract/session.ts'
import type { InvitationCode, InvitationShown, SignUp } from '../../../contract/sign-up.ts'
import { faultOf, isConnectionLost, request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { EmailField, NameField, NewPasswordField } from '../../parts/fields/account-fields.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { OrganisationButton } from '../../parts/sign-in/organisation-button.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { useResource } from '../../state/resource.ts'
import { navigate } from '../../state/router.ts'
import { admit, loadSession } from '../../state/session.ts'
import { EntryFrame } from './entry-frame.tsx'

const passwordHint = t`At least ${shortestPassword} characters. A sentence is easier to remember.`

/** The page of the first-run link and of invitations. The code is behind the `#`, so that server logs do not contain it. */
export function JoinPage(): VNode {
  const code = location.hash.slice(1)
  const { resource, reload } = useResource(
    (signal) => request<InvitationShown>('/console/api/invitation', { method: 'POST', body: { code } satisfies InvitationCode, signal }),
    [code],
  )
  const firstRun = resource.value.state === 'ready' && resource.value.value.firstRun
  const failure = resource.value.state === 'failed' ? resource.value.failure : null
  // After a lost connection, the link may still be valid.
  if (failure !== null && !isConnectionLost(failure))
    return (
      <EntryFrame title={t`Invalid or used link`} intro={t`A link works once, for the person it was created for.`}>
        <FailureNote failure={failure} />
        <p>
          <Button href="/">{t`Sign in, or continue if you’re signed in`}</Button>
        </p>
      </EntryFrame>
    )
  return (
    <EntryFrame
      title={firstRun ? t`Set up your service` : t`Join this Sepia service`}
      intro={firstRun ? t`This service is new. You will be its owner.` : t`You are invited. Create an account to chat and draw here.`}
    >
      <Loaded resource={resource} retry={reload}>
        {({ ways }) => (
          <>
            {ways.organisation === null ? null : <OrganisationButton label={ways.organisation} start={{ code }} />}
            {ways.organisation !== null && ways.password ? <p class="or">{t`or`}</p> : null}
            {ways.password ? <JoinForm code={code} /> : null}
            {firstRun ? null : (
              <p class="soft">
                {t`Already have an account?`} <a href="/console/sign-in">{t`Sign in`}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </EntryFrame>
  )
}

function JoinForm({ code }: { code: string }): VNode {
  const name = useSignal('')
  const email = useSignal('')
  const password = useSignal('')
  const { busy, failure, submit } = useSubmit(async () => {
    const body: SignUp = { code, name: name.value, email: email.value, password: password.value }
    const { account } = await request<SignedIn | SignInRequested>('/console/api/sign-up', { method: 'POST', body })
    navigate(account === null ? '/console/sign-in' : '/console/chat', { replace: true })
    if (account === null) await loadSession()
    else admit(account)
  })
  return (
    <form onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} fields={['name', 'email', 'password']} /> : null}
      <NameField text={name} fault={faultOf(failure.value, 'name')} />
      <EmailField text={email} hint={t`You sign in with it. Sepia never sends mail to it.`} fault={faultOf(failure.value, 'email')} />
      <NewPasswordField text={password} label={t`Password`} required hint={passwordHint} fault={faultOf(failure.value, 'password')} />
      <Button tone="primary" size="wide" busy={busy.value}>
        {busy.value ? t`One moment…` : t`Create the account`}
      </Button>
    </form>
  )
}
