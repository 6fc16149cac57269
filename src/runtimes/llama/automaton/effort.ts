/** A grammar took more work than it may. */
export class EffortSpent extends Error {
  override readonly name = 'EffortSpent'
}

/** Work that something may still do; a unit takes about a quarter of a microsecond. */
export class Effort {
  #left: number

  constructor(units: number) {
    this.#left = units
  }

  get left(): number {
    return Math.max(0, this.#left)
  }

  /** @throws {EffortSpent} when nothing is left. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new EffortSpent('The grammar took too much work.')
  }
}
