import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SecondFactorBegun } from '../../../contract/second-factor.ts'
import { t } from '../../language/t.ts'
import { CopyButton } from '../copy-button.tsx'

/** The secret for an authenticator app: a QR code to scan, or letters to type. */
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

/** A text as a QR code, black on white in every theme. The encoder is loaded on first use. */
function QrCode({ text, label }: { text: string; label: string }): VNode {
  const drawn = useSignal<{ readonly size: number; readonly path: string } | null>(null)
  useEffect(() => {
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { ecc: 'M', border: 2 })
      const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
      drawn.value = { size, path }
    })
  }, [text])
  const { size, path } = drawn.value ?? { size: 1, path: '' }
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
