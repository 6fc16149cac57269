import type { Connection } from './connection.ts'

/** Values in memory at once; what asks for more of them between two commits reads them anew. */
const mostValues = 10_000

/** What was read since the last commit of whomever, by key: many ask for the same between two commits. */
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
