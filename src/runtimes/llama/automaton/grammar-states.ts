import { ByteArrows, type GrammarState } from './byte-arrows.ts'
import type { Effort } from './effort.ts'
import type { Expression, Expressions, Rule } from './expression.ts'
import { GrammarFault } from './grammar-fault.ts'
import { GrammarStep, type Tail } from './grammar-step.ts'
import { linkRules } from './link-rules.ts'
import { parseGbnf } from './parse-gbnf.ts'
import { ShortestEndings } from './shortest-endings.ts'

/** Maximum number of cached states; all are dropped when it is reached. */
const maxStates = 4000
const end: Tail = { id: 0, ends: true, ways: [], joined: [] }
const dead: GrammarState = { complete: false, arrows: new ByteArrows([]), next: new Map() }

/**
 * A grammar as an automaton over bytes whose states are found as they come up.
 *
 * Ambiguity costs at most the cube of the text's length: readings that stand in the same rule at the same byte are one reading with several
 * continuations (a graph-structured stack), where llama.cpp keeps a stack for each, which is exponential.
 *
 * @see Tomita 1985, "An efficient context-free parsing algorithm for natural languages"
 */
export class GrammarStates {
  readonly #expressions: Expressions
  readonly #tails = new Map<string, Tail>()
  readonly #states = new Map<string, GrammarState>()
  readonly #root: Rule
  #lastTail = 0
  #endings: ShortestEndings | null = null

  /**
   * @param text GBNF with a rule `root`.
   * @throws {GrammarFault} when it cannot be followed.
   */
  constructor(text: string) {
    this.#expressions = parseGbnf(text)
    const root = this.#expressions.rules.get('root')
    if (root === undefined) throw new GrammarFault('there is no rule "root"')
    this.#root = root
    linkRules(this.#expressions)
  }

  start(effort: Effort): GrammarState {
    const step = new GrammarStep(effort)
    if (this.#root.body?.nullable === true) step.complete = true
    step.call(this.#root, end)
    return this.#settle(step)
  }

  /** @returns null when the byte may not come. */
  advance(state: GrammarState, byte: number, effort: Effort): GrammarState | null {
    const known = state.next.get(byte)
    if (known !== undefined) return known === dead ? null : known
    const step = new GrammarStep(effort)
    for (const { rest, tail } of state.arrows.at(byte, effort)) {
      if (rest === null) this.#arrive(tail, step)
      else step.add(rest, tail)
    }
    const next = this.#settle(step)
    state.next.set(byte, next)
    return next === dead ? null : next
  }

  /** In how few bytes a text can be whole. */
  get endings(): ShortestEndings {
    this.#endings ??= new ShortestEndings(this.#expressions)
    return this.#endings
  }

  /** Begins everything that may follow a tail. */
  #arrive(first: Tail, step: GrammarStep): void {
    const open = [first]
    for (let tail = open.pop(); tail !== undefined; tail = open.pop()) {
      if (!step.arrive(tail)) continue
      step.complete ||= tail.ends
      open.push(...tail.joined)
      for (const way of tail.ways) {
        this.#begin(way.expression, way.tail, step)
        if (way.expression.nullable) open.push(way.tail)
      }
    }
  }

  /** Finds the bytes that an expression may begin with; that it may be nothing is the caller's business. */
  #begin(first: Expression, tail: Tail, step: GrammarStep): void {
    let expression = first
    for (;;) {
      if (!step.begin(expression, tail)) return
      if (expression.kind !== 'sequence') break
      this.#begin(expression.first, this.#push(expression.rest, tail), step)
      if (!expression.first.nullable) return
      expression = expression.rest
    }
    if (expression.kind === 'bytes') step.add(expression.bytes, tail)
    else if (expression.kind === 'reference') step.call(expression.rule, tail)
    else if (expression.kind === 'choice') for (const option of expression.options) this.#begin(option, tail, step)
    else if (expression.kind === 'repeat') {
      const { item, least, most } = expression
      this.#begin(item, this.#push(this.#expressions.repeat(item, Math.max(0, least - 1), most - 1), tail), step)
    }
  }

  /** Reads the rules that were met, each once for all who met it, and finds the state that comes of it. */
  #settle(step: GrammarStep): GrammarState {
    for (let call = step.nextCall(); call !== null; call = step.nextCall())
      if (call.rule.body !== null) this.#begin(call.rule.body, this.#join([...call.tails], step), step)
    if (step.places.size === 0 && !step.complete) return dead
    const key = `${step.complete ? 'e' : ''}${[...step.places.keys()].sort().join()}`
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= maxStates) this.#forget()
    const state = { complete: step.complete, arrows: new ByteArrows([...step.places.values()]), next: new Map() }
    this.#states.set(key, state)
    return state
  }

  /** Answers that are under way keep the states they stand in. */
  #forget(): void {
    this.#states.clear()
    this.#tails.clear()
  }

  #push(expression: Expression, tail: Tail): Tail {
    if (expression.kind === 'empty') return tail
    return this.#tail(`${expression.id}:${tail.id}`, () => ({ ends: false, ways: [{ expression, tail }], joined: [] }))
  }

  #join(tails: readonly Tail[], step: GrammarStep): Tail {
    const [only] = tails
    if (only !== undefined && tails.length === 1) return only
    step.effort.spend(tails.length)
    const key = tails
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join()
    return this.#tail(key, () => ({ ends: false, ways: [], joined: tails }))
  }

  #tail(key: string, make: () => Omit<Tail, 'id'>): Tail {
    const known = this.#tails.get(key)
    if (known !== undefined) return known
    const made = { id: ++this.#lastTail, ...make() }
    this.#tails.set(key, made)
    return made
  }
}
