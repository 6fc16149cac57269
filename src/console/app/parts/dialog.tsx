import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../language/t.ts'
import { dialogDepth } from '../state/toasts.ts'
import { Button } from './button.tsx'
import { Toasts } from './toasts.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly large?: boolean
  readonly children: ComponentChildren
}

/**
 * A modal dialog, open while it is rendered. Escape and the cross close it. A form starts in its first field, and the focus returns to the
 * opener afterwards.
 */
export function Dialog({ title, onClose, large = false, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const depth = useSignal(-1)
  useLayoutEffect(() => {
    const opener = document.activeElement
    depth.value = ++dialogDepth.value
    element.current?.showModal()
    // `:scope`, because a dialog may itself be in a form.
    const field = element.current?.querySelector<HTMLElement>(
      ':scope form :is(input:not([type=checkbox], [type=radio], [type=range], [type=file]), textarea, select):not(:disabled)',
    )
    // With the focus on the cross, Enter would close a form of choices instead of submitting it.
    const choice = element.current?.querySelector<HTMLElement>(':scope form [type=radio]:checked')
    ;(field ?? choice)?.focus()
    return () => {
      dialogDepth.value--
      // The browser restores the focus when a dialog is closed, but not when it is removed while open.
      queueMicrotask(() => {
        if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus()
      })
    }
  }, [])
  return (
    <dialog ref={element} class={large ? 'dialog large' : 'dialog'} aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button tone="quiet" size="small" icon="close" iconOnly onClick={() => element.current?.close()}>{t`Close`}</Button>
      </div>
      <div class="dialog-body">{children}</div>
      <Toasts depth={depth.value} />
    </dialog>
  )
}
