import type { ComponentChildren, TargetedInputEvent, VNode } from 'preact'
import { Field } from './field.tsx'

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'email' | 'password'
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly hint?: ComponentChildren
  readonly fault?: string | null
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
}

/** A single-line text field with its label. */
export function TextField({ label, value, onInput, hint, fault = null, type = 'text', ...rest }: TextFieldProps): VNode {
  const input = {
    ...rest,
    class: 'input',
    value,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
  }
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => {
        if (type === 'password') return <input {...ids} {...input} type="password" />
        return type === 'email' ? <input {...ids} {...input} type="email" /> : <input {...ids} {...input} type="text" />
      }}
    </Field>
  )
}
