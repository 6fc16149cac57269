import { effect, type Signal, signal } from '@preact/signals'
import { forget, keep, readKept } from '../browser/browser-storage.ts'

const prefix = 'sepia.work.'

/** A signal whose value is stored in this browser. Missing fields, and fields of another type than the default, get their defaults. */
export function storedSignal<Value extends object>(name: string, defaults: Value): Signal<Value> {
  const key = prefix + name
  const stored = signal(readStored(name, defaults))
  effect(() => keep(key, JSON.stringify(stored.value)))
  return stored
}

/** The stored value of a {@link storedSignal}, including changes by other tabs. */
export function readStored<Value extends object>(name: string, defaults: Value): Value {
  return { ...defaults, ...readFitting(prefix + name, defaults) }
}

/** Calls back when another tab changes the stored value of a {@link storedSignal}, or deletes it (null). */
export function onStoredElsewhere(name: string, react: (text: string | null) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === prefix + name) react(newValue)
  })
}

/** Deletes everything that {@link storedSignal} has stored. */
export function forgetStored(): void {
  forget(prefix)
}

function readFitting(key: string, defaults: object): object {
  try {
    const value: unknown = JSON.parse(readKept(key) ?? '{}')
    if (typeof value !== 'object' || value === null) return {}
    const kinds = new Map(Object.entries(defaults).map(([field, standard]) => [field, kindOf(standard)]))
    return Object.fromEntries(Object.entries(value).filter(([field, kept]) => kinds.get(field) === kindOf(kept)))
  } catch {
    return {}
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'nothing' : Array.isArray(value) ? 'list' : typeof value
}
