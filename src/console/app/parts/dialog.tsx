import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly large?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog, open for as long as it is rendered; Escape and the cross close it. What opened it has the focus afterwards. */
export function Dialog({ title, onClose, large = false, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const opener = document.activeElement
    element.current?.showModal()
    // The browser gives the focus back when a dialog closes, but not when it is taken off the page while open.
    return () =>
      queueMicrotask(() => {
        if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus()
      })
  }, [])
  return (
    <dialog ref={element} class={large ? 'dialog large' : 'dialog'} aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button tone="quiet" size="small" icon="close" iconOnly onClick={() => element.current?.close()}>{t`Close`}</Button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}
