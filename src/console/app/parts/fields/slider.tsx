import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  readonly onChange: (value: number) => void
  readonly hint?: string
}

/** A number within bounds: drag it or type it. */
export function Slider({ label, value, min, max, step, onChange, hint }: SliderProps): VNode {
  const id = useId()
  const filled = `${((value - min) / (max - min)) * 100}%`
  const take = (text: string) => {
    const number = Number(text)
    if (text !== '' && Number.isFinite(number)) onChange(Math.min(max, Math.max(min, number)))
  }
  return (
    <div class="slider">
      <div class="slider-head">
        <label for={id}>{label}</label>
        <span id={`${id}-hint`}>{hint ?? `${min} to ${max}`}</span>
      </div>
      <input
        type="range"
        aria-label={`${label}, slider`}
        min={min}
        max={max}
        step={step}
        value={value}
        style={{ '--filled': filled }}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <input
        id={id}
        aria-describedby={`${id}-hint`}
        class="input"
        type="number"
        min={min}
        max={max}
        step={step}
        value={value}
        onChange={(event) => take(event.currentTarget.value)}
      />
    </div>
  )
}
