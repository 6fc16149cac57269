import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'

/** One secret, out of sight until somebody asks for it. */
export function SecretLine({ label, secret }: { label: string; secret: string }): VNode {
  const shown = useSignal(false)
  return (
    <fieldset class="stack tight">
      <legend class="field-label">{label}</legend>
      <div class="row">
        <code class="token-text">{shown.value ? secret : `whsec_${'•'.repeat(12)}`}</code>
        <button
          type="button"
          class="button quiet small"
          onClick={() => {
            shown.value = !shown.value
          }}
        >
          {shown.value ? 'Hide' : 'Show'}
          <span class="hidden-text"> the secret</span>
        </button>
        <CopyButton text={secret} />
      </div>
    </fieldset>
  )
}
