import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'

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
      {cursor.value === null ? null : (
        <button type="button" class="button" onClick={() => (cursor.value = null)}>
          Newest
        </button>
      )}
      {next === null ? null : (
        <button type="button" class="button" onClick={() => (cursor.value = next)}>
          Older
        </button>
      )}
    </div>
  )
}
