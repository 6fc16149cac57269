import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { decimalText, numberInBox } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { numberFault, readNumber } from './read-number.ts'

interface SliderProps {
  readonly label: string
  /** NaN while something is typed that is no number. */
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  /** What an empty box stands for. */
  readonly standard: number
  readonly onChange: (value: number) => void
  readonly hint?: string
}

/** A number within bounds: drag it or type it. What was typed stays as it is; what is wrong with it is said below. */
export function Slider({ label, value, min, max, step, standard, onChange, hint }: SliderProps): VNode {
  const id = useId()
  const typed = useSignal<{ readonly text: string; readonly value: number } | null>(null)
  const isTyped = typed.value !== null && Object.is(typed.value.value, value)
  const text = isTyped ? (typed.value?.text ?? '') : Number.isFinite(value) ? numberInBox(value) : ''
  const fault = numberFault(value, { least: min, most: max, whole: Number.isInteger(step) })
  const filled = `${((Math.min(max, Math.max(min, value || 0)) - min) / (max - min)) * 100}%`
  const take = (text: string) => {
    const number = text.trim() === '' ? standard : readNumber(text)
    typed.value = { text, value: number }
    onChange(number)
  }
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
        min={min}
        max={max}
        step={step}
        value={Number.isFinite(value) ? value : standard}
        style={{ '--filled': filled }}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
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
        onInput={(event) => take(event.currentTarget.value)}
      />
      {fault === null ? null : (
        <span id={`${id}-fault`} class="field-fault">
          {fault}
        </span>
      )}
    </div>
  )
}
