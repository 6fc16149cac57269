import { effect, type Signal, signal } from '@preact/signals'

/** A signal of plain data that this browser remembers; fields that a newer console added keep their defaults. */
export function storedSignal<Value extends object>(key: string, defaults: Value): Signal<Value> {
  const stored = signal<Value>({ ...defaults, ...readStored(key) })
  effect(() => localStorage.setItem(key, JSON.stringify(stored.value)))
  return stored
}

function readStored(key: string): object {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
