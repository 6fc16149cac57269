import { ServiceError } from '../../../core/error.ts'
import { keepNewest } from '../../../core/keep-newest.ts'
import type { GrammarAllowance } from '../automaton/grammar-allowance.ts'
import type { OutputConstraint } from './output-constraint.ts'

const maxConstraints = 16
/** Characters of one wish. */
const longestWish = 1024 * 1024
/** Units of work to translate a character of a wish. */
const perCharacter = 8

/** Caches recent constraints, so that schemas are translated once, and only for accounts whose grammars may cause work. */
export class ConstraintCache {
  readonly #allowance: GrammarAllowance
  /** Least recently used first. */
  readonly #constraints = new Map<string, OutputConstraint | null>()

  constructor(allowance: GrammarAllowance) {
    this.#allowance = allowance
  }

  /**
   * Returns the constraint of a request.
   *
   * @param wish Cache key: everything `make` depends on, as JSON.
   * @param param The request field it came in.
   * @throws {ServiceError} `rate_limit_exceeded` if it is new and the account's grammars caused too much work, `unsupported_parameter` if
   * it is too long, and the errors of `make`.
   */
  get(
    wish: string,
    { param, account }: { readonly param: string; readonly account: string },
    make: () => OutputConstraint | null,
  ): OutputConstraint | null {
    let constraint = this.#constraints.get(wish)
    if (constraint === undefined) {
      this.#allowance.require(account, param)
      if (wish.length > longestWish) throw tooLong(param, wish.length)
      // Also where it cannot be followed: finding that out is work.
      this.#allowance.charge(account, perCharacter * wish.length)
      constraint = make()
    }
    keepNewest(this.#constraints, wish, constraint, maxConstraints)
    return constraint
  }
}

function tooLong(param: string, length: number): ServiceError {
  const message = `The schemas of ${param} have ${length} characters, at most ${longestWish} are allowed; send fewer or shorter ones.`
  return new ServiceError('unsupported_parameter', message, { param })
}
