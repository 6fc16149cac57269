import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

/** One secret, out of sight until somebody asks for it. */
export function SecretLine({ label, secret }: { label: string; secret: string }): VNode {
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
        >
          {shown.value ? t`Hide` : t`Show`}
          <span class="hidden-text"> {t`the secret`}</span>
        </Button>
        <CopyButton text={secret} />
      </div>
    </fieldset>
  )
}
