import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { decimalText, numberInBox } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { useTypedNumber } from './number-field.tsx'
import { numberFault, readNumber } from './read-number.ts'

export interface SliderProps {
  readonly label: string
  /** NaN while the text is not a number. */
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  /** Positions of the slider instead of equal steps from `min` to `max`. Any number can be typed. */
  readonly stops?: readonly number[]
  /** The value of an empty field. */
  readonly standard: number
  readonly onChange: (value: number) => void
  readonly hint?: string
}

/** A number within bounds, to drag or type. The text is kept as typed, and its fault is shown below. */
export function Slider({ label, value, min, max, step, stops, standard, onChange, hint }: SliderProps): VNode {
  const id = useId()
  const { text, isTyped, take } = useTypedNumber(value)
  const fault = numberFault(value, { least: min, most: max, whole: Number.isInteger(step) })
  const shown = Number.isFinite(value) ? value : standard
  const range = stops ? { min: 0, max: stops.length - 1, step: 1, value: nearest(stops, shown) } : { min, max, step, value: shown }
  const filled = `${((Math.min(range.max, Math.max(range.min, range.value)) - range.min) / (range.max - range.min || 1)) * 100}%`
  return (
    <div class="slider">
      <div class="slider-head">
        <label for={id}>{label}</label>
        <span id={`${id}-hint`}>
          {isTyped && text.trim() === ''
            ? t`Empty: ${decimalText(standard, 6)}`
            : (hint ?? t`${decimalText(min, 6)} to ${decimalText(max, 6)}`)}
        </span>
      </div>
      <input
        type="range"
        aria-label={t`${label}, slider`}
        {...range}
        aria-valuetext={stops ? decimalText(stops[range.value] ?? shown, 6) : undefined}
        style={{ '--filled': filled }}
        onInput={({ currentTarget }) => onChange(stops?.[Number(currentTarget.value)] ?? Number(currentTarget.value))}
      />
      <input
        id={id}
        aria-describedby={fault === null ? `${id}-hint` : `${id}-fault`}
        aria-invalid={fault !== null}
        class="input"
        inputMode="decimal"
        maxLength={16}
        value={text}
        placeholder={numberInBox(standard)}
        onInput={({ currentTarget: { value: next } }) => onChange(take(next, next.trim() === '' ? standard : readNumber(next)))}
      />
      {fault === null ? null : (
        <span id={`${id}-fault`} class="field-fault">
          {fault}
        </span>
      )}
    </div>
  )
}

/** The index of the stop closest to a number, on a logarithmic scale. */
function nearest(stops: readonly number[], value: number): number {
  const distance = (stop: number) => Math.abs(Math.log(Math.max(1, stop)) - Math.log(Math.max(1, value)))
  return stops.reduce((best, stop, index) => (distance(stop) < distance(stops[best] ?? 1) ? index : best), 0)
}

/** Numbers from `least` to `most`, each twice the previous one. */
export function doublingStops(least: number, most: number): readonly number[] {
  const stops: number[] = []
  for (let stop = least; stop < most; stop *= 2) stops.push(stop)
  return [...stops, most]
}
