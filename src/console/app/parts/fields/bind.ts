import type { Signal } from '@preact/signals'

/** Binds a field's value to a signal. */
export function bind(text: Signal<string>): { readonly value: string; readonly onInput: (value: string) => void } {
  return {
    value: text.value,
    onInput: (value) => {
      text.value = value
    },
  }
}
