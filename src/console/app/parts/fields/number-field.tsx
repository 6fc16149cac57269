import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { numberInBox } from '../../language/formats.ts'
import { readNumber } from './read-number.ts'
import { TextField } from './text-field.tsx'

interface NumberFieldProps {
  readonly label: string
  /** NaN while the text is not a number. */
  readonly value: number
  readonly onChange: (value: number) => void
  readonly fault?: string | null
  readonly hint?: string
}

/** A number field, which keeps the text as typed. */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps): VNode {
  const typed = useSignal<{ readonly text: string; readonly value: number } | null>(null)
  const isTyped = typed.value !== null && Object.is(typed.value.value, value)
  const text = isTyped ? (typed.value?.text ?? '') : Number.isFinite(value) ? numberInBox(value) : ''
  const take = (next: string) => {
    typed.value = { text: next, value: readNumber(next) }
    onChange(typed.value.value)
  }
  return <TextField {...rest} maxLength={16} value={text} onInput={take} />
}
