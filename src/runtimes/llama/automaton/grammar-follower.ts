import { ServiceError } from '../../../core/error.ts'
import type { GrammarState } from './byte-arrows.ts'
import { Effort, EffortSpent } from './effort.ts'
import type { Ending, TokenGrammar } from './token-grammar.ts'

/** To find which tokens may come next: at most about 75 ms, for which all other answers wait. */
const effortPerToken = 300_000
/** For the whole answer, beside what each of its tokens earns. */
const effortInAll = 2_000_000
const earnedPerToken = 5_000
/** Bytes of an ending whose tokens are counted; of a longer one each byte may be a token. */
const longestCounted = 4096

/** One answer's place in a grammar. */
export class GrammarFollower {
  readonly #grammar: TokenGrammar
  readonly #param: string
  readonly #charge: (units: number) => void
  #state: GrammarState
  #ended = false
  #effort = effortInAll
  /** Tokens that are left of those in which the text must be whole; infinite = it may be cut. */
  #left: number
  #ending: Ending | null = null

  /**
   * @param param The request field of the grammar.
   * @param endWithin Maximum tokens of a complete text, including its end token; infinite = it may be cut.
   * @param charge Receives the work done.
   */
  constructor(
    grammar: TokenGrammar,
    { param, endWithin, charge }: { readonly param: string; readonly endWithin: number; readonly charge: (units: number) => void },
  ) {
    this.#grammar = grammar
    this.#param = param
    this.#charge = charge
    this.#state = grammar.start
    this.#left = this.#canEnd(grammar.start, endWithin) ? endWithin : Number.POSITIVE_INFINITY
  }

  /**
   * Takes a token if it may come and the text can still be whole in time.
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
    if (next === null || this.#isTooLong(next)) return false
    this.#state = next
    this.#left--
    this.#effort += earnedPerToken
    return true
  }

  /** The tokens that make the text whole, taken, when what was to come would have left too few for that; null otherwise. */
  endInTime(): readonly number[] | null {
    if (this.#ending === null) return null
    const { tokens, state } = this.#ending
    this.#ending = null
    this.#state = state
    this.#left -= tokens.length
    return tokens
  }

  /** The tokens that may not come next. @throws {ServiceError} `unsupported_parameter` when the grammar takes too much work. */
  forbidden(): Uint32Array {
    return this.#work((effort) => this.#grammar.forbidden(this.#state, effort))
  }

  /** Whether continuing here would make the text too long to complete, so that it must end before. */
  #isTooLong(next: GrammarState): boolean {
    if (this.#canEnd(next, this.#left - 1)) return false
    this.#ending = this.#shortestEnding(this.#state)
    if (this.#ending === null) this.#left = Number.POSITIVE_INFINITY
    return this.#ending !== null
  }

  #canEnd(state: GrammarState, tokens: number): boolean {
    if (tokens === Number.POSITIVE_INFINITY) return true
    const missing = this.#grammar.missing(state)
    if (missing + 1 <= tokens) return true
    if (missing > longestCounted) return false
    return (this.#shortestEnding(state)?.tokens.length ?? Number.POSITIVE_INFINITY) + 1 <= tokens
  }

  /** null when there is none, or it takes too much work to find. */
  #shortestEnding(state: GrammarState): Ending | null {
    try {
      return this.#spend((effort) => this.#grammar.ending(state, effort))
    } catch (cause) {
      if (cause instanceof EffortSpent) return null
      throw cause
    }
  }

  #work<Result>(run: (effort: Effort) => Result): Result {
    try {
      return this.#spend(run)
    } catch (cause) {
      if (cause instanceof EffortSpent) throw tooMuchWork(this.#param, cause)
      throw cause
    }
  }

  #spend<Result>(run: (effort: Effort) => Result): Result {
    const granted = Math.min(effortPerToken, this.#effort)
    const effort = new Effort(granted)
    try {
      return run(effort)
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
