import type { VNode } from 'preact'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { showToast } from '../../../state/toasts.ts'
import { current } from '../conversations.ts'

/** Removes a message and all below it; the toast can restore them. */
export function RemoveTurn({ turn }: { turn: Turn }): VNode {
  const remove = () => {
    const { turns, compared } = current.value
    const isLast = compared.peek().length === 0 && turns.peek().at(-1)?.id === turn.id
    const undo = current.value.remove(turn)
    showToast(isLast ? t`Message deleted.` : t`Message deleted, with everything after it.`, { label: t`Undo`, run: undo })
  }
  return <Button tone="quiet" size="small" icon="trash" iconOnly onClick={remove}>{t`Delete`}</Button>
}
