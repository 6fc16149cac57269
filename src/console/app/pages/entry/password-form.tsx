import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { SecondFactorRequired, SignedIn } from '../../../contract/session.ts'
import { faultOf } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { CodeField, EmailField, PasswordField } from '../../parts/fields/account-fields.tsx'
import { RecoveryCodeList } from '../../parts/sign-in/recovery-codes.tsx'
import { SecondFactorSecret } from '../../parts/sign-in/second-factor-secret.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { admit, signIn } from '../../state/session.ts'

/** E-mail and password, then a one-time code or the set-up of a second factor if required. */
export function PasswordForm(): VNode | null {
  const email = useSignal('')
  const password = useSignal('')
  const answer = useSignal<SignedIn | SecondFactorRequired | null>(null)
  const given = answer.value
  const ask = async (code?: string) => {
    answer.value = await signIn({ email: email.value, password: password.value, ...(code !== undefined && { code }) })
  }
  if (given?.account) {
    const { account, recoveryCodes } = given
    return recoveryCodes ? <RecoveryCodeList codes={recoveryCodes} onDone={() => admit(account)} /> : null
  }
  if (given) return <CodeForm challenge={given} ask={ask} back={() => (answer.value = null)} />
  return <FirstForm email={email} password={password} ask={ask} />
}

interface FirstFormProps {
  readonly email: Signal<string>
  readonly password: Signal<string>
  readonly ask: () => Promise<void>
}

function FirstForm({ email, password, ask }: FirstFormProps): VNode {
  const { busy, failure, submit } = useSubmit(() => ask())
  return (
    <form onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <EmailField text={email} />
      <PasswordField text={password} />
      <Button tone="primary" size="wide" busy={busy.value}>
        {busy.value ? t`Signing in…` : t`Sign in`}
      </Button>
    </form>
  )
}

interface CodeFormProps {
  readonly challenge: SecondFactorRequired
  readonly ask: (code: string) => Promise<void>
  readonly back: () => void
}

function CodeForm({ challenge, ask, back }: CodeFormProps): VNode {
  const code = useSignal('')
  const { busy, failure, submit } = useSubmit(() => ask(code.value))
  return (
    <form onSubmit={submit}>
      {challenge.asks === 'enrolment' ? (
        <>
          <p>{t`This service requires a second factor. Set it up now; it takes a minute.`}</p>
          <SecondFactorSecret secret={challenge.secret} address={challenge.address} />
        </>
      ) : null}
      {failure.value ? <FailureNote failure={failure.value} fields={['code']} /> : null}
      <CodeField
        text={code}
        fault={faultOf(failure.value, 'code')}
        {...(challenge.asks === 'code' && { hint: t`From your authenticator app, or one of your recovery codes.` })}
      />
      <Button tone="primary" size="wide" busy={busy.value}>
        {busy.value ? t`Signing in…` : t`Sign in`}
      </Button>
      <Button tone="quiet" onClick={back}>{t`Back`}</Button>
    </form>
  )
}
