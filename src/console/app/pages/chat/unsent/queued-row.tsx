import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { forgetQueued, queuedMessage, takeBackQueued } from '../say.ts'

/** The queued message, and buttons to edit or discard it. */
export function QueuedRow({ onEdit }: { onEdit: () => void }): VNode | null {
  const queued = queuedMessage()
  if (queued === null) return null
  const names = [...queued.pictures, ...queued.files].map(({ name }) => name)
  const edit = () => {
    takeBackQueued()
    onEdit()
  }
  return (
    <section class="queued" aria-label={t`Queued message`}>
      <p role="status">
        <span class="faint">{t`Queued:`}</span>{' '}
        <span dir="auto">{[queued.content, ...names].filter((text) => text !== '').join(' · ')}</span>
      </p>
      <Button tone="quiet" size="small" icon="brush" onClick={edit}>{t`Edit`}</Button>
      <Button tone="quiet" size="small" icon="close" onClick={() => forgetQueued()}>{t`Remove`}</Button>
    </section>
  )
}
