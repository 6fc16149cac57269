import type { Connection } from './connection.ts'

/** Maximum number of cached values; the rest is read again. */
const maxValues = 10_000

/** Caches values by key until the next commit by any writer, since many requests read the same values. */
export class CommittedValues<Value> {
  readonly #reader: Connection
  readonly #values = new Map<string, Value>()
  #version = -1

  constructor(reader: Connection) {
    this.#reader = reader
  }

  get(key: string, read: () => Value): Value {
    const version = this.#reader.dataVersion()
    if (version !== this.#version || this.#values.size >= maxValues) this.#values.clear()
    this.#version = version
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = read()
    this.#values.set(key, value)
    return value
  }
}
