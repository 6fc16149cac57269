import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

/** A choice between a few options side by side. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>): VNode {
  const name = useId()
  return (
    <fieldset>
      <legend class="hidden-text">{label}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
