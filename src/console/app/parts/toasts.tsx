import type { RefObject, TargetedFocusEvent, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
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
 * or with the focus stays until it is closed. When a message with the focus is removed, the next one gets the focus, and after the last one
 * what had it before.
 */
export function Toasts({ depth }: { depth: number }): VNode {
  const isOnTop = dialogDepth.value === depth
  const shown = isOnTop ? toasts.value : []
  const { id, text } = announcement.value
  const before = useRef<EventTarget | null>(null)
  useEffect(() => (depth === 0 ? listenForUndo() : undefined), [depth])
  const noteFocus = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) before.current = relatedTarget
  }
  return (
    <>
      <div class="toasts" role="status" aria-live="polite" onFocusIn={noteFocus}>
        {shown.map((toast) => (
          <Message toast={toast} before={before} key={toast.id} />
        ))}
      </div>
      <div class="hidden-text" aria-live="polite">
        {isOnTop ? <span key={id}>{text}</span> : null}
      </div>
    </>
  )
}

function Message({ toast, before }: { toast: Toast; before: RefObject<EventTarget | null> }): VNode {
  const element = useRef<HTMLDivElement>(null)
  // The clean-up of a layout effect runs while the message is still in the document.
  useLayoutEffect(
    () => () => {
      releaseToast(toast, 'pointer')
      releaseToast(toast, 'focus')
      // A pointer needs no focus, and would keep the next message.
      if (element.current?.querySelector(':focus-visible')) moveFocus(element.current, before.current)
    },
    [],
  )
  return (
    <div
      ref={element}
      class="toast"
      onPointerEnter={() => holdToast(toast, 'pointer')}
      onPointerLeave={() => releaseToast(toast, 'pointer')}
      onFocusIn={() => holdToast(toast, 'focus')}
      onFocusOut={() => releaseToast(toast, 'focus')}
    >
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

/** Moves the focus from a message to the next one's last button, which closes it, or to what had it before, or to the page's heading. */
function moveFocus(message: HTMLElement, before: EventTarget | null): void {
  const next = message.nextElementSibling ?? message.previousElementSibling
  const places = [next?.querySelector('button:last-of-type'), before, document.querySelector('#main h1'), document.getElementById('main')]
  for (const place of places) {
    if (!(place instanceof HTMLElement) || !place.isConnected) continue
    place.focus()
    if (document.activeElement === place) return
  }
}
