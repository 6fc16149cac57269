import type { ByteClass } from './byte-class.ts'
import type { Effort } from './effort.ts'
import type { Expression, Rule } from './expression.ts'

/** A byte that may come, and what follows its class. */
export interface Place {
  readonly bytes: ByteClass
  readonly tail: Tail
}

/** What may follow an expression: any of several continuations, or the end. Continuations that meet in a rule are shared. */
export interface Tail {
  readonly id: number
  readonly ends: boolean
  readonly ways: readonly Way[]
  /** Tails that are ways too. */
  readonly joined: readonly Tail[]
}

interface Way {
  readonly expression: Expression
  readonly tail: Tail
}

/** Working data while reading one byte. */
export class GrammarStep {
  readonly effort: Effort
  readonly places = new Map<string, Place>()
  complete = false
  readonly #begun = new Set<string>()
  readonly #arrived = new Set<Tail>()
  readonly #tails = new Map<Rule, Set<Tail>>()
  /** By falling rank. */
  readonly #calls: Rule[] = []

  constructor(effort: Effort) {
    this.effort = effort
  }

  add(bytes: ByteClass, tail: Tail): void {
    if (bytes.edges.length > 0) this.places.set(`${bytes.id}:${tail.id}`, { bytes, tail })
  }

  /** Whether this expression with this tail is new here. */
  begin(expression: Expression, tail: Tail): boolean {
    this.effort.spend(1)
    const key = `${expression.id}:${tail.id}`
    if (this.#begun.has(key)) return false
    this.#begun.add(key)
    return true
  }

  arrive(tail: Tail): boolean {
    this.effort.spend(1)
    if (this.#arrived.has(tail)) return false
    this.#arrived.add(tail)
    return true
  }

  call(rule: Rule, tail: Tail): void {
    const tails = this.#tails.get(rule)
    if (tails !== undefined) {
      tails.add(tail)
      return
    }
    this.#tails.set(rule, new Set([tail]))
    let place = this.#calls.length
    while (place > 0 && (this.#calls[place - 1]?.rank ?? 0) < rule.rank) place--
    this.#calls.splice(place, 0, rule)
  }

  /** The met rule that no other one met may begin with, and what follows it wherever it was met; null when all are read. */
  nextCall(): { readonly rule: Rule; readonly tails: ReadonlySet<Tail> } | null {
    const rule = this.#calls.pop()
    return rule === undefined ? null : { rule, tails: this.#tails.get(rule) ?? new Set() }
  }
}
