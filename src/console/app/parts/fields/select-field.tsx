import type { ComponentChildren, VNode } from 'preact'
import { Field } from './field.tsx'

interface SelectFieldProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
  readonly hint?: ComponentChildren
}

/** A drop-down list with a label. */
export function SelectField<Value extends string>({ label, value, options, onChange, hint }: SelectFieldProps<Value>): VNode {
  const choose = (chosen: string) => {
    const option = options.find((each) => each.value === chosen)
    if (option) onChange(option.value)
  }
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} class="input" value={value} onChange={(event) => choose(event.currentTarget.value)}>
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
