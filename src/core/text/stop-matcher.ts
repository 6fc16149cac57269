import { longestBeginning } from './longest-beginning.ts'

/** Finds stop strings in text that arrives in fragments, and holds back what may become one. */
export class StopMatcher {
  readonly #stops: readonly string[]
  readonly #included: boolean
  #held = ''
  #found: string | null = null

  /** @param includeStop Whether the stop string is safe to show too. */
  constructor(stops: readonly string[], { includeStop }: { readonly includeStop: boolean } = { includeStop: false }) {
    this.#stops = stops.filter((stop) => stop.length > 0)
    this.#included = includeStop
  }

  /** The stop string that ended the text; null while none has. */
  get found(): string | null {
    return this.#found
  }

  /** Characters that may still become a stop string. */
  get held(): number {
    return this.#held.length
  }

  /** Text that is safe to show, and whether a stop string ended it. */
  add(fragment: string): { readonly text: string; readonly stopped: boolean } {
    if (this.#stops.length === 0) return { text: fragment, stopped: false }
    const text = this.#held + fragment
    const cut = this.#cut(text)
    if (cut !== -1) {
      this.#held = ''
      return { text: text.slice(0, cut), stopped: true }
    }
    const safe = text.length - longestBeginning(text, this.#stops)
    this.#held = text.slice(safe)
    return { text: text.slice(0, safe), stopped: false }
  }

  /** Returns held-back text at the end. */
  flush(): string {
    const held = this.#held
    this.#held = ''
    return held
  }

  /** End of the text, before or after the first stop string; −1 = none. */
  #cut(text: string): number {
    let first = -1
    let cut = -1
    for (const stop of this.#stops) {
      const at = text.indexOf(stop)
      if (at === -1 || (first !== -1 && at >= first)) continue
      first = at
      this.#found = stop
      cut = this.#included ? at + stop.length : at
    }
    return cut
  }
}
