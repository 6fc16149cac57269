import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'

/** Shows new recovery codes, once. */
export function RecoveryCodeList({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): VNode {
  return (
    <section class="stack" aria-label={t`Your recovery codes`}>
      <h2>{t`Your recovery codes`}</h2>
      <p class="soft">{t`Each code works once in place of the app if you lose your phone. Keep them away from the phone; they won’t be shown again.`}</p>
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={codes.join('\n')} primary label={t`Copy all`} />
        <Button onClick={onDone}>{t`I’ve saved them`}</Button>
      </div>
    </section>
  )
}
