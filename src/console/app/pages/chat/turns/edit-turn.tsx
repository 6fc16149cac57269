import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { TextArea } from '../../../parts/fields/text-area.tsx'
import { lengthFault } from '../length-fault.ts'

interface EditTurnProps {
  readonly label: string
  /** The label of the button. */
  readonly action: string
  readonly text: string
  /** Its attachments. */
  readonly children?: ComponentChildren
  readonly mayBeEmpty?: boolean
  readonly onInput: (text: string) => void
  /** Receives the trimmed text. */
  readonly onTake: (text: string) => void
  readonly onClose: () => void
}

/** Moves the focus to a message's Edit button, of class `edit`, when its field closes; returns a reference for the element around it. */
export function useFocusAfterEdit(isEdited: boolean): RefObject<HTMLElement | null> {
  const foot = useRef<HTMLElement>(null)
  const wasEdited = useRef(isEdited)
  useLayoutEffect(() => {
    if (wasEdited.current && !isEdited) foot.current?.querySelector<HTMLElement>('.edit')?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  return foot
}

/** A field in place of a message, to edit it. */
export function EditTurn({ label, action, text, children, mayBeEmpty = false, onInput, onTake, onClose }: EditTurnProps): VNode {
  const isEmpty = text.trim() === '' && !mayBeEmpty
  const fault = lengthFault(text)
  const submit = (event: Event) => {
    event.preventDefault()
    if (isEmpty || fault !== null) return
    onTake(text.trim())
    onClose()
  }
  const form = useRef<HTMLFormElement>(null)
  // A layout effect, so that what is typed before the next paint arrives here.
  useLayoutEffect(() => {
    const box = form.current?.querySelector('textarea')
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
    else return
    event.preventDefault()
    // Escape here must not stop an answer.
    event.stopPropagation()
  }
  return (
    <form class="turn-edit stack" ref={form} onSubmit={submit} onKeyDown={onKeyDown}>
      <TextArea label={label} value={text} rows={3} onInput={onInput} fault={fault} />
      {children}
      <div class="row">
        <Button tone="primary" size="small" disabled={isEmpty || fault !== null}>
          {action}
        </Button>
        <Button tone="quiet" size="small" onClick={onClose}>{t`Cancel`}</Button>
      </div>
    </form>
  )
}
