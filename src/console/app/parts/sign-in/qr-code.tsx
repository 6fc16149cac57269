import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'

/** A text as a QR code, black on white in every theme; what draws it is loaded with the first one. */
export function QrCode({ text, label }: { text: string; label: string }): VNode {
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
