import { effect, type Signal, signal } from '@preact/signals'

const prefix = 'sepia.work.'

/** A signal of plain data that this browser remembers; fields that a newer console added keep their defaults. */
export function storedSignal<Value extends object>(name: string, defaults: Value): Signal<Value> {
  const key = prefix + name
  const stored = signal<Value>({ ...defaults, ...readStored(key) })
  effect(() => localStorage.setItem(key, JSON.stringify(stored.value)))
  return stored
}

/** Forgets what was kept by {@link storedSignal}. */
export function forgetStored(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}

function readStored(key: string): object {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
