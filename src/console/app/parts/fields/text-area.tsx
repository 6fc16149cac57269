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
  readonly fault?: string | null
  /** Whether to use a monospace font, for code. */
  readonly mono?: boolean
}

/** A multi-line text field with its label. */
export function TextArea({ label, value, onInput, hint, fault = null, mono = false, rows = 3, ...rest }: TextAreaProps): VNode {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          rows={rows}
          class={mono ? 'input mono' : 'input'}
          spellcheck={!mono}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
