import type { GrammarState } from './byte-arrows.ts'
import type { ByteClass, ByteEdge } from './byte-class.ts'
import type { Expression, Expressions } from './expression.ts'
import type { Place, Tail } from './grammar-step.ts'

/** Minimum number of bytes that complete a text, from each state of a grammar. */
export class ShortestEndings {
  /** Fewest bytes of each expression, by its id; infinite where it never ends. */
  readonly #fewest: readonly number[]
  readonly #tails = new WeakMap<Tail, number>()
  readonly #missing = new WeakMap<GrammarState, number>()

  constructor(expressions: Expressions) {
    this.#fewest = settleFewest(expressions)
  }

  missing(state: GrammarState): number {
    const known = this.#missing.get(state)
    if (known !== undefined) return known
    const missing = state.complete ? 0 : least(state.arrows.places.map((place) => this.#from(place)))
    this.#missing.set(state, missing)
    return missing
  }

  /** The first byte of the shortest ending; null = the text is whole, or never will be. */
  next(state: GrammarState): number | null {
    const missing = this.missing(state)
    const place = missing === 0 ? undefined : state.arrows.places.find((each) => this.#from(each) === missing)
    return place === undefined || missing === Number.POSITIVE_INFINITY ? null : (shortestEdge(place.bytes)?.low ?? null)
  }

  #from({ bytes, tail }: Place): number {
    return fewestBytes(bytes) + this.#after(tail)
  }

  #after(tail: Tail): number {
    const open = [tail]
    for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
      const unknown = [...next.ways.map((way) => way.tail), ...next.joined].filter((each) => !this.#tails.has(each))
      open.push(...unknown)
      if (unknown.length > 0) continue
      open.pop()
      const ways = [
        ...next.ways.map((way) => this.#of(way.expression) + this.#known(way.tail)),
        ...next.joined.map((each) => this.#known(each)),
      ]
      this.#tails.set(next, least(next.ends ? [0, ...ways] : ways))
    }
    return this.#known(tail)
  }

  #known(tail: Tail): number {
    return this.#tails.get(tail) ?? Number.POSITIVE_INFINITY
  }

  /** Expressions that were made while a text was followed are repetitions of those that the grammar has. */
  #of(expression: Expression): number {
    return this.#fewest[expression.id] ?? fewestOf(expression, this.#fewest)
  }
}

/** Parts stand before their wholes, so that a few rounds settle all but what rules say of later ones. */
function settleFewest({ all }: Expressions): readonly number[] {
  const fewest: number[] = all.map(() => Number.POSITIVE_INFINITY)
  for (let changed = true; changed; ) {
    changed = false
    for (const expression of all) {
      const bytes = fewestOf(expression, fewest)
      changed ||= bytes < (fewest[expression.id] ?? 0)
      fewest[expression.id] = bytes
    }
  }
  return fewest
}

function fewestOf(expression: Expression, fewest: readonly number[]): number {
  const of = ({ id }: Expression): number => fewest[id] ?? Number.POSITIVE_INFINITY
  if (expression.kind === 'empty') return 0
  if (expression.kind === 'bytes') return fewestBytes(expression.bytes)
  if (expression.kind === 'sequence') return of(expression.first) + of(expression.rest)
  if (expression.kind === 'choice') return least(expression.options.map(of))
  if (expression.kind === 'repeat') return expression.least === 0 ? 0 : expression.least * of(expression.item)
  return expression.rule.body === null ? Number.POSITIVE_INFINITY : of(expression.rule.body)
}

function fewestBytes(bytes: ByteClass): number {
  const edge = shortestEdge(bytes)
  return edge === undefined ? Number.POSITIVE_INFINITY : 1 + (edge.rest === null ? 0 : fewestBytes(edge.rest))
}

/** Complete characters come first, since ranges are in code point order. */
function shortestEdge({ edges }: ByteClass): ByteEdge | undefined {
  return edges.find(({ rest }) => rest === null) ?? edges[0]
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
}
