import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface PagerProps {
  /** Where the page shown begins; null = with the newest. */
  readonly cursor: Signal<string | null>
  /** Where the next page begins; null = there is none. */
  readonly next: string | null
}

/** The way to older pages and back to the newest. */
export function Pager({ cursor, next }: PagerProps): VNode {
  return (
    <div class="row">
      {cursor.value === null ? null : <Button onClick={() => (cursor.value = null)}>{t`Newest`}</Button>}
      {next === null ? null : <Button onClick={() => (cursor.value = next)}>{t`Older`}</Button>}
    </div>
  )
}
