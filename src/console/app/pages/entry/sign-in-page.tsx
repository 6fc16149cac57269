import type { VNode } from 'preact'
import type { SignInWays } from '../../../contract/session.ts'
import { t } from '../../language/t.ts'
import { OrganisationButton } from '../../parts/sign-in/organisation-button.tsx'
import { PasskeyButton } from '../../parts/sign-in/passkey-button.tsx'
import { SignInFaultNote } from '../../parts/sign-in/sign-in-fault-note.tsx'
import { command, type Greeting } from '../../state/session.ts'
import { EntryFrame } from './entry-frame.tsx'
import { pageToReturnTo } from './page-to-return-to.ts'
import { PasswordForm } from './password-form.tsx'

const intros = {
  welcome: t`Welcome. Sign in to chat, draw and create access tokens for programs.`,
  left: t`You are signed out. Your conversations and saved images are still here.`,
  deleted: t`Your account and all its data were deleted.`,
  ended: t`You were signed out. Sign in to continue where you left off.`,
} as const satisfies Record<Exclude<Greeting, 'first-run'>, string>

/** Signs in to an existing account. */
export function SignInPage({ ways, greeting }: { ways: SignInWays; greeting: Exclude<Greeting, 'first-run'> }): VNode {
  return (
    <EntryFrame title={t`Sign in`} intro={intros[greeting]}>
      <SignInFaultNote />
      {ways.organisation === null ? null : <OrganisationButton label={ways.organisation} start={pageToReturnTo()} />}
      {ways.passkey ? <PasskeyButton /> : null}
      {(ways.organisation !== null || ways.passkey) && ways.password ? <p class="or">{t`or`}</p> : null}
      {ways.password ? <PasswordForm /> : null}
      <p class="faint">
        {ways.password
          ? t`No account yet, or forgot your password? Ask an owner for a link.`
          : t`No account yet? Ask an owner for an invitation.`}{' '}
        {t.rich`Owners can print a link for themselves in the terminal: ${<code>{command} account link &lt;id&gt;</code>}. The ids are in ${<code>{command} account list</code>}.`}{' '}
        {t.rich`To call Sepia from a program, see the ${<a href="/docs/api">{t`API reference`}</a>}.`}
      </p>
    </EntryFrame>
  )
}
