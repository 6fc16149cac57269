import type { VNode } from 'preact'
import { t } from '../../language/t.ts'

/** Limits or what is left of them, a line each; says so where there is none. */
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
