import type { ByteClass } from './byte-class.ts'
import type { Effort } from './effort.ts'
import type { Place, Tail } from './grammar-step.ts'

/** State of an answer in a grammar: all possible parses of the text so far. */
export interface GrammarState {
  /** Whether the answer may end here. */
  readonly complete: boolean
  readonly arrows: ByteArrows
  readonly next: Map<number, GrammarState>
}

/** Target of one byte from one position: within its character, or after it. */
interface Arrow {
  readonly rest: ByteClass | null
  readonly tail: Tail
}

/** Wider ranges are looked at for every byte. */
const narrow = 4

/** Targets of each byte from a state's positions. */
export class ByteArrows {
  readonly places: readonly Place[]
  readonly #wide: (Arrow & { readonly low: number; readonly high: number })[] = []
  #narrow: Map<number, Arrow[]> | null = null

  constructor(places: readonly Place[]) {
    this.places = places
  }

  at(byte: number, effort: Effort): readonly Arrow[] {
    const arrows = this.#sort(effort).get(byte) ?? []
    effort.spend(1 + arrows.length + this.#wide.length)
    return [...arrows, ...this.#wide.filter(({ low, high }) => low <= byte && byte <= high)]
  }

  #sort(effort: Effort): ReadonlyMap<number, readonly Arrow[]> {
    if (this.#narrow !== null) return this.#narrow
    const sorted = new Map<number, Arrow[]>()
    effort.spend(this.places.length)
    for (const { bytes, tail } of this.places)
      for (const { low, high, rest } of bytes.edges) {
        if (high - low >= narrow) this.#wide.push({ low, high, rest, tail })
        else for (let byte = low; byte <= high; byte++) put(sorted, byte, { rest, tail })
      }
    this.#narrow = sorted
    return sorted
  }
}

function put(sorted: Map<number, Arrow[]>, byte: number, arrow: Arrow): void {
  const known = sorted.get(byte)
  if (known === undefined) sorted.set(byte, [arrow])
  else known.push(arrow)
}
