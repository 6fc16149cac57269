/**
 * A map for values that live as long as one request. Deleting a value from a Map does not free it before the next full garbage collection:
 * each table that a Map outgrows keeps its values and points to the next table, so that one old table keeps all later requests alive. Here
 * such tables keep only keys and empty holders.
 */
export class TransientMap<Key, Value extends object> {
  readonly #holders = new Map<Key, { value: Value | undefined }>()

  get size(): number {
    return this.#holders.size
  }

  get(key: Key): Value | undefined {
    return this.#holders.get(key)?.value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#holders.set(key, { value })
  }

  delete(key: Key): void {
    const holder = this.#holders.get(key)
    if (holder === undefined) return
    this.#holders.delete(key)
    holder.value = undefined
  }

  keys(): Iterable<Key> {
    return this.#holders.keys()
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const [key, { value }] of this.#holders) if (value !== undefined) yield [key, value]
  }
}
