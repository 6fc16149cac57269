import type { Signal } from '@preact/signals'

/** Ties a field to a signal: it shows the text, and what is typed changes it. */
export function bind(text: Signal<string>): { readonly value: string; readonly onInput: (value: string) => void } {
  return {
    value: text.value,
    onInput: (value) => {
      text.value = value
    },
  }
}
