import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretLine } from './secret-line.tsx'

/** The secrets that sign deliveries now, and the way to a new one. */
export function SigningSecret({ secrets, reload }: { secrets: readonly string[]; reload: () => Promise<void> }): VNode {
  const asking = useSignal(false)
  const [current, previous] = secrets
  return (
    <section class="sheet stack" aria-label={t`Signing secret`}>
      <div class="stack tight">
        <h2>{t`Signing secret`}</h2>
        <p class="soft">{t.rich`Every delivery is signed with it, as
          ${<a href="https://www.standardwebhooks.com">Standard Webhooks</a>} say. Give it to the receiver, which can then tell a
          delivery of this service from a forged one.`}</p>
      </div>
      {current === undefined ? null : <SecretLine label={t`Current`} secret={current} />}
      {previous === undefined ? null : <SecretLine label={t`The one before; signs along for a day`} secret={previous} />}
      <div>
        <Button
          onClick={() => {
            asking.value = true
          }}
        >{t`Rotate the secret`}</Button>
      </div>
      {asking.value ? (
        <RotateDialog
          onClose={() => {
            asking.value = false
          }}
          onRotated={() => {
            asking.value = false
            void reload()
          }}
        />
      ) : null}
    </section>
  )
}
