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
  const { text, take } = useTypedNumber(value)
  return <TextField {...rest} maxLength={16} value={text} onInput={(next) => onChange(take(next, readNumber(next)))} />
}

/**
 * The text of a number field as it was typed, as long as its value is the typed one.
 *
 * @returns also whether it was typed, and a function that stores what is typed and returns its value.
 */
export function useTypedNumber(value: number): {
  readonly text: string
  readonly isTyped: boolean
  readonly take: (text: string, value: number) => number
} {
  const typed = useSignal<{ readonly text: string; readonly value: number } | null>(null)
  const isTyped = typed.value !== null && Object.is(typed.value.value, value)
  return {
    text: isTyped ? (typed.value?.text ?? '') : Number.isFinite(value) ? numberInBox(value) : '',
    isTyped,
    take: (text, number) => {
      typed.value = { text, value: number }
      return number
    },
  }
}
