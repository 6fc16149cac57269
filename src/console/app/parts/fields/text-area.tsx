import type { ComponentChildren, VNode } from 'preact'
import { Field } from './field.tsx'

interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly rows?: number
  readonly placeholder?: string
  readonly hint?: ComponentChildren
  readonly maxLength?: number
}

/** Several lines of text with their label. */
export function TextArea({ label, value, onInput, hint, rows = 3, ...rest }: TextAreaProps): VNode {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea {...ids} {...rest} rows={rows} class="input" value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  )
}
