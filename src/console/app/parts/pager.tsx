import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface PagerProps {
  /** The cursor of the shown page; null = the newest. */
  readonly cursor: Signal<string | null>
  /** The cursor of the next page; null = none. */
  readonly next: string | null
}

/** Buttons for older pages and for the newest. */
export function Pager({ cursor, next }: PagerProps): VNode {
  return (
    <div class="row">
      {cursor.value === null ? null : <Button onClick={() => (cursor.value = null)}>{t`Newest`}</Button>}
      {next === null ? null : <Button onClick={() => (cursor.value = next)}>{t`Older`}</Button>}
    </div>
  )
}
