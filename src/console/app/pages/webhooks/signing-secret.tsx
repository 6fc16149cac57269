import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FormDialog } from '../../parts/dialog-form.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { showToast } from '../../state/toasts.ts'
import { rotateSecret } from './webhook-requests.ts'

/** The secrets that sign deliveries, and a button to rotate them. */
export function SigningSecret({ secrets, reload }: { secrets: readonly string[]; reload: () => Promise<void> }): VNode {
  const asking = useSignal(false)
  const [current, previous] = secrets
  return (
    <section class="sheet stack" aria-label={t`Signing secret`}>
      <div class="stack tight">
        <h2>{t`Signing secret`}</h2>
        <p class="soft">{t.rich`Sepia signs every delivery with it, as ${<a href="https://www.standardwebhooks.com">Standard Webhooks</a>} specifies. Give it to the receiver, which uses it to reject forged deliveries.`}</p>
      </div>
      {current === undefined ? null : <SecretLine label={t`Current`} secret={current} />}
      {previous === undefined ? null : <SecretLine label={t`The previous one; valid for another 24 hours`} secret={previous} />}
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

/** Confirms a new secret. */
function RotateDialog({ onClose, onRotated }: { onClose: () => void; onRotated: () => void }): VNode {
  const form = useSubmit(async () => {
    await rotateSecret()
    showToast(t`The new secret is now in use.`)
    onRotated()
  })
  return (
    <FormDialog title={t`Rotate the secret?`} action={t`Rotate`} form={form} onClose={onClose}>
      <p>{t`The new secret is used at once. The current one stays valid for 24 hours; give every receiver the new one by then. Older secrets stop working now.`}</p>
    </FormDialog>
  )
}

/** One secret, hidden until requested. */
function SecretLine({ label, secret }: { label: string; secret: string }): VNode {
  const shown = useSignal(false)
  return (
    <fieldset class="stack tight">
      <legend class="field-label">{label}</legend>
      <div class="row">
        <code class="token-text">{shown.value ? secret : `whsec_${'•'.repeat(12)}`}</code>
        <Button
          tone="quiet"
          size="small"
          onClick={() => {
            shown.value = !shown.value
          }}
          about={t`the secret`}
        >
          {shown.value ? t`Hide` : t`Show`}
        </Button>
        <CopyButton text={secret} />
      </div>
    </fieldset>
  )
}
