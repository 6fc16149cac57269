import type { Connection } from './connection.ts'

/** Values in memory at once; further ones between two commits are read again. */
const mostValues = 10_000

/** Values read since the last commit by any writer, by key: many requests read the same between two commits. */
export class CommittedValues<Value> {
  readonly #reader: Connection
  readonly #values = new Map<string, Value>()
  #version = -1

  constructor(reader: Connection) {
    this.#reader = reader
  }

  get(key: string, read: () => Value): Value {
    const version = this.#reader.dataVersion()
    if (version !== this.#version || this.#values.size >= mostValues) this.#values.clear()
    this.#version = version
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = read()
    this.#values.set(key, value)
    return value
  }
}
