import type { DecodingContext } from '../binding/native-context.ts'
import { type AdapterSet, noAdapters } from './adapter-set.ts'

/** Batches that one set computes before another one has its turn: llama.cpp plans its memory again at each change. */
const batchesPerTurn = 4

interface Member {
  readonly generation: { readonly adapters: Pick<AdapterSet, 'key'> }
}

/** A context computes with one set of adapters at a time, so that texts with different ones take turns. */
export class AdapterTurns {
  #current = ''
  #left = 0
  #turns = 0
  /** The last turn of each set. */
  #served = new Map<string, number>()
  #used = noAdapters

  /** Adapters that the context currently applies. */
  get used(): AdapterSet {
    return this.#used
  }

  /** Lets the context compute the next batch with the set of its texts, which is the same for all. */
  use(context: Pick<DecodingContext, 'useAdapters'>, [first]: readonly { readonly generation: { readonly adapters: AdapterSet } }[]): void {
    const { adapters = noAdapters } = first?.generation ?? {}
    if (adapters === this.#used) return
    context.useAdapters(adapters.adapters)
    this.#used = adapters
  }

  /** Lets go of the set of the last batch; the next batch names its own. */
  drop(context: Pick<DecodingContext, 'useAdapters'>): void {
    context.useAdapters([])
    this.#used = noAdapters
  }

  /** The texts of the next batch: all that have the set whose turn it is. */
  next<Text extends Member>(running: readonly Text[]): readonly Text[] {
    const keys = new Set(running.map(({ generation }) => generation.adapters.key))
    if (keys.size < 2) return running
    if (this.#left-- <= 0 || !keys.has(this.#current)) this.#change(keys)
    return running.filter(({ generation }) => generation.adapters.key === this.#current)
  }

  /** To the set that has waited longest. */
  #change(keys: ReadonlySet<string>): void {
    const last = (key: string): number => this.#served.get(key) ?? -1
    const [next = ''] = [...keys].toSorted((a, b) => last(a) - last(b))
    this.#current = next
    this.#left = batchesPerTurn - 1
    this.#served = new Map([...keys].map((key) => [key, key === next ? this.#turns++ : last(key)]))
  }
}
