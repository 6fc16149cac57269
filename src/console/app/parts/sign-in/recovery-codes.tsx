import type { VNode } from 'preact'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'

/** The one time that recovery codes are seen. */
export function RecoveryCodeList({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): VNode {
  return (
    <section class="stack" aria-label="Your recovery codes">
      <h2>Your recovery codes</h2>
      <p class="soft">
        Each of them stands in for the app once, when the phone is lost. Keep them where the phone is not; nobody can show them to you
        again.
      </p>
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={codes.join('\n')} primary label="Copy all" />
        <Button onClick={onDone}>I have kept them</Button>
      </div>
    </section>
  )
}
