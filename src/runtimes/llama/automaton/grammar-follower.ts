import { ServiceError } from '../../../core/error.ts'
import { Effort, EffortSpent } from './effort.ts'
import type { GrammarState } from './grammar-states.ts'
import type { TokenGrammar } from './token-grammar.ts'

/** To find which tokens may come next: at most about 75 ms, for which all other answers wait. */
const effortPerToken = 300_000
/** For the whole answer, beside what each of its tokens earns. */
const effortInAll = 2_000_000
const earnedPerToken = 5_000

/** One answer's place in a grammar. */
export class GrammarFollower {
  readonly #grammar: TokenGrammar
  readonly #param: string
  readonly #charge: (units: number) => void
  #state: GrammarState
  #ended = false
  #effort = effortInAll

  /**
   * @param param The request's field that asked for the grammar.
   * @param charge Told of the work done.
   */
  constructor(grammar: TokenGrammar, { param, charge }: { readonly param: string; readonly charge: (units: number) => void }) {
    this.#grammar = grammar
    this.#param = param
    this.#charge = charge
    this.#state = grammar.start
  }

  /**
   * Takes a token if it may come.
   *
   * @throws {ServiceError} `unsupported_parameter` when the grammar takes too much work.
   */
  accept(token: number): boolean {
    if (this.#ended) return false
    if (this.#grammar.tokens.ends.includes(token)) {
      this.#ended = this.#state.complete
      return this.#ended
    }
    const next = this.#work((effort) => this.#grammar.advance(this.#state, token, effort))
    if (next === null) return false
    this.#state = next
    this.#effort += earnedPerToken
    return true
  }

  /**
   * The tokens that may not come next.
   *
   * @throws {ServiceError} `unsupported_parameter` when the grammar takes too much work.
   */
  forbidden(): Uint32Array {
    return this.#work((effort) => this.#grammar.forbidden(this.#state, effort))
  }

  #work<Result>(run: (effort: Effort) => Result): Result {
    const granted = Math.min(effortPerToken, this.#effort)
    const effort = new Effort(granted)
    try {
      return run(effort)
    } catch (cause) {
      if (cause instanceof EffortSpent) throw tooMuchWork(this.#param, cause)
      throw cause
    } finally {
      const spent = granted - effort.left
      this.#effort -= spent
      this.#charge(spent)
    }
  }
}

function tooMuchWork(param: string, cause: Error): ServiceError {
  const message = `The grammar of ${param} is too ambiguous to be followed in time; use fewer alternatives that begin alike.`
  return new ServiceError('unsupported_parameter', message, { param, cause })
}
