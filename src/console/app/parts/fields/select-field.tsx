import type { ComponentChildren, VNode } from 'preact'
import { Field } from './field.tsx'

interface SelectFieldProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
  readonly hint?: ComponentChildren
}

/** One of a list, with its label. */
export function SelectField({ label, value, options, onChange, hint }: SelectFieldProps): VNode {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
