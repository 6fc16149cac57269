import type { ComponentChildren, VNode } from 'preact'
import { useId } from 'preact/hooks'

export interface FieldIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly fault?: string | null
  readonly children: (ids: FieldIds) => VNode
}

/** A label, a control, and a hint or fault linked to it. */
export function Field({ label, hint, fault = null, children }: FieldProps): VNode {
  const id = useId()
  const described = hint || fault ? `${id}-hint` : undefined
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': fault !== null })}
      {fault || hint ? (
        <span id={described} class={fault ? 'field-fault' : 'field-hint'}>
          {fault ?? hint}
        </span>
      ) : null}
    </div>
  )
}
