import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../../parts/button.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { EmailField, PasswordField } from '../../parts/fields/account-fields.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { signIn } from '../../state/session.ts'
import { EntryFrame } from './entry-frame.tsx'

/** For people who have an account. */
export function SignInPage(): VNode {
  const email = useSignal('')
  const password = useSignal('')
  const { busy, failure, submit } = useSubmit(() => signIn({ email: email.value, password: password.value }))
  return (
    <EntryFrame title="Sign in" intro="Welcome back.">
      <form onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <EmailField text={email} />
        <PasswordField text={password} />
        <Button tone="primary" size="wide" disabled={busy.value}>
          {busy.value ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <p class="faint">
        No account yet, or the password forgotten? Ask an owner for a link. Owners find theirs in the terminal: at the first start, and
        later with <code>sepia account link</code>. For programs there is the <a href="/docs/api">API reference</a>.
      </p>
    </EntryFrame>
  )
}
