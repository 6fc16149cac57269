import { keepNewest } from '../../core/keep-newest.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { type Abortable, neverAborted, orAborted } from '../../core/waiting.ts'

/** Lifetime of a cached value, which bounds the delay of changes. */
const freshMs = 4000
const maxValues = 10_000

/** Caches looked-up values for four seconds, by key. Concurrent requests share one look-up. */
export class RecentValues<Value> {
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #underWay = new Map<string, Promise<Value>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The cached value of a key. */
  known(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    const now = this.#clock.now()
    // A clock set back must not extend the life of an entry.
    return entry === undefined || now >= entry.until || entry.until - now > freshMs ? undefined : entry.value
  }

  /** @param lookUp Continues when its first caller leaves, since others may wait for it. */
  async get(key: string, lookUp: (options: Abortable) => Promise<Value>, { signal }: Abortable): Promise<Value> {
    signal.throwIfAborted()
    return this.known(key) ?? orAborted(this.#underWay.get(key) ?? this.#begin(key, lookUp), signal)
  }

  /** Changes a cached value without extending its life. */
  change(key: string, change: (value: Value) => Value): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#entries.set(key, { value: change(entry.value), until: entry.until })
  }

  #begin(key: string, lookUp: (options: Abortable) => Promise<Value>): Promise<Value> {
    const until = this.#clock.now() + freshMs
    const begun = lookUp(neverAborted)
      .then((value) => {
        keepNewest(this.#entries, key, { value, until }, maxValues)
        return value
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, begun)
    return begun
  }
}
