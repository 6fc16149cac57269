import { ServiceError } from '../../../core/error.ts'

/** Units of work that an account may owe: about half a second of the engine's thread. */
const maxDebt = 2_000_000
/** Units that are forgiven per millisecond: about a tenth of what the thread does in it. */
const forgivenPerMs = 400
/** Accounts remembered before those that owe nothing are forgotten. */
const maxAccounts = 1000

interface Debt {
  readonly units: number
  readonly at: number
}

/** Keeps one account's grammars from taking more than about a tenth of the engine's time. */
export class GrammarAllowance {
  readonly #now: () => number
  readonly #debts = new Map<string, Debt>()

  /** @param now Milliseconds on a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  charge(account: string, units: number): void {
    this.#debts.set(account, { units: this.#debtOf(account) + units, at: this.#now() })
    if (this.#debts.size > maxAccounts) for (const name of this.#debts.keys()) if (this.#debtOf(name) === 0) this.#debts.delete(name)
  }

  /**
   * Admits a new grammar of an account.
   *
   * @param param The request field of the grammar.
   * @throws {ServiceError} `rate_limit_exceeded` while its debt is too large.
   */
  require(account: string, param: string): void {
    const excess = this.#debtOf(account) - maxDebt
    if (excess <= 0) return
    const message = `The grammars of this account have taken too much time recently; wait, or reuse the same ${param} instead of new ones.`
    throw new ServiceError('rate_limit_exceeded', message, { param, retryAfterSeconds: Math.ceil(excess / forgivenPerMs / 1000) })
  }

  #debtOf(account: string): number {
    const debt = this.#debts.get(account)
    return debt === undefined ? 0 : Math.max(0, debt.units - (this.#now() - debt.at) * forgivenPerMs)
  }
}
