import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../language/t.ts'
import {
  announcement,
  dialogDepth,
  dismissToast,
  holdToast,
  listenForUndo,
  releaseToast,
  runToast,
  type Toast,
  toasts,
} from '../state/toasts.ts'
import { Button } from './button.tsx'

/**
 * The stack of short messages, on top of the page or of its topmost dialog. They are read out when they appear. A message under the pointer
 * or with the focus stays until it is closed.
 */
export function Toasts({ depth }: { depth: number }): VNode {
  const isOnTop = dialogDepth.value === depth
  const shown = isOnTop ? toasts.value : []
  const { id, text } = announcement.value
  useEffect(() => (depth === 0 ? listenForUndo() : undefined), [depth])
  return (
    <>
      <div class="toasts" role="status" aria-live="polite">
        {shown.map((toast) => (
          <Message toast={toast} key={toast.id} />
        ))}
      </div>
      <div class="hidden-text" aria-live="polite">
        {isOnTop ? <span key={id}>{text}</span> : null}
      </div>
    </>
  )
}

function Message({ toast }: { toast: Toast }): VNode {
  const hold = () => holdToast(toast)
  const release = () => releaseToast(toast)
  return (
    <div class="toast" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <span lang={toast.language}>{toast.message}</span>
      {toast.action ? (
        <Button size="small" onClick={() => runToast(toast)}>
          {toast.action.label}
        </Button>
      ) : null}
      <Button size="small" icon="close" iconOnly onClick={() => dismissToast(toast)}>{t`Close`}</Button>
    </div>
  )
}
