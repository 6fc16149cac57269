import type { VNode } from 'preact'
import type { SecondFactorBegun } from '../../../contract/second-factor.ts'
import { t } from '../../language/t.ts'
import { CopyButton } from '../copy-button.tsx'
import { QrCode } from './qr-code.tsx'

/** What an authenticator app is given: a code to scan, or letters to type. */
export function SecondFactorSecret({ secret, address }: SecondFactorBegun): VNode {
  return (
    <div class="stack">
      <p class="soft">{t`Scan this with an authenticator app on your phone, or type the letters into it. Then enter the six digits it
        shows.`}</p>
      <QrCode text={address} label={t`QR code for an authenticator app`} />
      <div class="row">
        <code class="secret-letters">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={secret} label={t`Copy`} />
      </div>
    </div>
  )
}
