import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { OwnSignInWays } from '../../../contract/own-sign-in-ways.ts'
import type { PasswordShown, RecoveryCodes, SecondFactorBegun, SecondFactorCode } from '../../../contract/second-factor.ts'
import { faultOf, request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogChoice, FormDialog } from '../../parts/dialog-form.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { CodeField, PasswordField } from '../../parts/fields/account-fields.tsx'
import { RecoveryCodeList } from '../../parts/sign-in/recovery-codes.tsx'
import { SecondFactorSecret } from '../../parts/sign-in/second-factor-secret.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { showToast } from '../../state/toasts.ts'

interface SecondFactorSectionProps {
  readonly ways: OwnSignInWays
  readonly reload: () => Promise<void>
}

/** The action that follows when the password was confirmed. */
interface Step {
  readonly title: string
  readonly action: string
  readonly run: (body: PasswordShown) => Promise<void>
}

/** Sets up or removes one-time codes. */
export function SecondFactorSection({ ways: { secondFactor, secondFactorRequired }, reload }: SecondFactorSectionProps): VNode {
  const step = useSignal<Step | null>(null)
  const begun = useSignal<SecondFactorBegun | null>(null)
  const codes = useSignal<readonly string[] | null>(null)
  const ask = <Answer,>(path: string, body: PasswordShown) => request<Answer>(`/console/api/second-factor${path}`, { method: 'POST', body })
  const begin: Step = {
    title: t`Set up a second factor`,
    action: t`Continue`,
    run: async (body) => {
      begun.value = await ask<SecondFactorBegun>('', body)
    },
  }
  const renew: Step = {
    title: t`New recovery codes`,
    action: t`Create new codes`,
    run: async (body) => {
      codes.value = (await ask<RecoveryCodes>('/recovery-codes', body)).recoveryCodes
    },
  }
  const remove: Step = {
    title: t`Remove the second factor`,
    action: t`Remove`,
    run: async (body) => {
      await send('/console/api/second-factor/removal', { method: 'POST', body })
      showToast(t`Second factor removed.`)
      await reload()
    },
  }
  const confirmed = async (made: readonly string[]) => {
    begun.value = null
    codes.value = made
    await reload()
  }
  return (
    <section class="stack" aria-label={t`Second factor`}>
      <h2>{t`Second factor`}</h2>
      {secondFactor === null ? (
        <p class="soft">{t`A code from an app on your phone, in addition to the password. A stolen password alone won’t let anyone in.`}</p>
      ) : (
        <p class="soft">{t.rich`Signing in with the password requires a code from your app. ${secondFactor.recoveryLeft} of 10 recovery codes are left.`}</p>
      )}
      <div class="row">
        {secondFactor === null ? (
          <Button onClick={() => (step.value = begin)}>{t`Set up`}</Button>
        ) : (
          <>
            <Button onClick={() => (step.value = renew)}>{t`New recovery codes`}</Button>
            {secondFactorRequired ? null : <Button tone="danger" onClick={() => (step.value = remove)}>{t`Remove`}</Button>}
          </>
        )}
      </div>
      {step.value ? <PasswordDialog step={step.value} onClose={() => (step.value = null)} /> : null}
      {begun.value ? <ConfirmCodeDialog begun={begun.value} confirmed={confirmed} onClose={() => (begun.value = null)} /> : null}
      {codes.value ? <CodesDialog codes={codes.value} onClose={() => (codes.value = null)} /> : null}
    </section>
  )
}

/** The codes are seen only here: closed without a word that they are saved, it asks once. */
function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): VNode {
  const leaving = useSignal(false)
  if (!leaving.value)
    return (
      <Dialog key="codes" title={t`Second factor`} onClose={() => (leaving.value = true)}>
        <RecoveryCodeList codes={codes} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog key="sure" title={t`Close without saving the codes?`} onClose={onClose}>
      <p>{t`They won’t be shown again. You can make new ones later.`}</p>
      <div class="row">
        <Button tone="primary" onClick={() => (leaving.value = false)}>{t`Back to the codes`}</Button>
        <Button tone="quiet" onClick={onClose}>{t`Close`}</Button>
      </div>
    </Dialog>
  )
}

function PasswordDialog({ step: { title, action, run }, onClose }: { step: Step; onClose: () => void }): VNode {
  const password = useSignal('')
  const form = useSubmit(async () => {
    await run({ password: password.value })
    onClose()
  })
  return (
    <FormDialog title={title} action={action} form={form} fields={['password']} onClose={onClose}>
      <PasswordField text={password} hint={t`Confirm it’s you.`} fault={faultOf(form.failure.value, 'password')} />
    </FormDialog>
  )
}

interface ConfirmCodeDialogProps {
  readonly begun: SecondFactorBegun
  readonly confirmed: (codes: readonly string[]) => Promise<void>
  readonly onClose: () => void
}

function ConfirmCodeDialog({ begun, confirmed, onClose }: ConfirmCodeDialogProps): VNode {
  const code = useSignal('')
  const { busy, failure, submit } = useSubmit(async () => {
    const body: SecondFactorCode = { code: code.value }
    await confirmed((await request<RecoveryCodes>('/console/api/second-factor/confirmation', { method: 'POST', body })).recoveryCodes)
  })
  return (
    <Dialog title={t`Set up a second factor`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <SecondFactorSecret secret={begun.secret} address={begun.address} />
        {failure.value ? <FailureNote failure={failure.value} fields={['code']} /> : null}
        <CodeField text={code} fault={faultOf(failure.value, 'code')} />
        <DialogChoice busy={busy.value} onClose={onClose}>{t`Turn it on`}</DialogChoice>
      </form>
    </Dialog>
  )
}
