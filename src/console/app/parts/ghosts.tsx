import type { VNode } from 'preact'
import { t } from '../language/t.ts'

/** Grey lines in place of loading content. */
export function Ghosts(): VNode {
  return (
    <div class="stack" aria-busy="true">
      <span class="hidden-text">{t`Loading`}</span>
      <div class="ghost" style={{ height: '3rem' }} />
      <div class="ghost" style={{ height: '3rem' }} />
      <div class="ghost" style={{ height: '3rem', width: '70%' }} />
    </div>
  )
}
