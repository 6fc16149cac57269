import type { Signal } from '@preact/signals'

/** Binds a text field's value to a signal. */
export function bind(text: Signal<string>): { readonly value: string; readonly onInput: (value: string) => void } {
  return { value: text.value, onInput: setterOf(text) }
}

/** Binds the value of a choice or a number field to a signal. */
export function bindValue<Value>(choice: Signal<Value>): { readonly value: Value; readonly onChange: (value: Value) => void } {
  return { value: choice.value, onChange: setterOf(choice) }
}

/** Binds a check box to a signal. */
export function bindChecked(isChecked: Signal<boolean>): { readonly checked: boolean; readonly onChange: (checked: boolean) => void } {
  return { checked: isChecked.value, onChange: setterOf(isChecked) }
}

function setterOf<Value>(signal: Signal<Value>): (value: Value) => void {
  return (value) => {
    signal.value = value
  }
}
