import type { Clock } from '../../core/ports/clock.ts'

const believedMs = 4000
const mostValues = 10_000

/** Values looked up in the last four seconds, by key, so that a busy client costs one look-up every few seconds. */
export class RecentValues<Value> {
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async get(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key)
    const now = this.#clock.now()
    // A clock set back must not make an entry live longer.
    if (entry !== undefined && now < entry.until && entry.until - now <= believedMs) return entry.value
    const value = await lookUp()
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: now + believedMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > mostValues && oldest !== undefined) this.#entries.delete(oldest)
    return value
  }
}
