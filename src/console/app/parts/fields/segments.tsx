import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from '../icon.tsx'

interface Segment<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Shown instead of the label; absent = the label is shown. */
  readonly icon?: IconName
  /** Language of the label; absent = the page's. */
  readonly lang?: string
}

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly Segment<Value>[]
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
          <label key={option.value} lang={option.lang} title={option.icon && option.label}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
            <span>{option.icon === undefined ? option.label : <Picture icon={option.icon} label={option.label} />}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Picture({ icon, label }: { icon: IconName; label: string }): VNode {
  return (
    <>
      <Icon name={icon} size={16} />
      <b class="hidden-text">{label}</b>
    </>
  )
}
