import type { VNode } from 'preact'
import type { SignInWays } from '../../../contract/session.ts'
import { t } from '../../language/t.ts'
import { OrganisationButton } from '../../parts/sign-in/organisation-button.tsx'
import { PasskeyButton } from '../../parts/sign-in/passkey-button.tsx'
import { SignInFaultNote } from '../../parts/sign-in/sign-in-fault-note.tsx'
import { path } from '../../state/router.ts'
import { EntryFrame } from './entry-frame.tsx'
import { PasswordForm } from './password-form.tsx'

/** For people who have an account. */
export function SignInPage({ ways }: { ways: SignInWays }): VNode {
  // The sign-in page itself is no page to come back to.
  const page = path.value.startsWith('/console/') && path.value !== '/console/sign-in' ? { page: path.value } : {}
  return (
    <EntryFrame title={t`Sign in`} intro={t`Welcome back.`}>
      <SignInFaultNote />
      {ways.organisation === null ? null : <OrganisationButton label={ways.organisation} start={page} />}
      {ways.passkey ? <PasskeyButton /> : null}
      {(ways.organisation !== null || ways.passkey) && ways.password ? <p class="or">{t`or`}</p> : null}
      {ways.password ? <PasswordForm /> : null}
      <p class="faint">
        {ways.password
          ? t`No account yet, or the password forgotten? Ask an owner for a link.`
          : t`No account yet? Ask an owner for an invitation.`}{' '}
        {t.rich`Owners find theirs in the terminal: at the first start, and later with ${<code>sepia account link</code>}.`}{' '}
        {t.rich`For programs there is the ${<a href="/docs/api">{t`API reference`}</a>}.`}
      </p>
    </EntryFrame>
  )
}
