import type { VNode } from 'preact'
import { t } from '../../language/t.ts'

/** Limits or their remaining amounts, one per line; a note when there are none. */
export function LimitList({ lines }: { readonly lines: readonly string[] }): VNode {
  if (lines.length === 0) return <span class="faint">{t`none`}</span>
  return (
    <ul class="lines">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
