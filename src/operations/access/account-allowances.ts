import { type AccountLimits, noLimits } from '../../core/limits/use-limits.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { RecentValues } from './recent-values.ts'

type Options = { readonly signal: AbortSignal }

export interface AllowanceDependencies {
  readonly accounts: AccountStore
  readonly clock: Clock
}

/** What accounts may use, a few seconds late at most. */
export class AccountAllowances {
  readonly #deps: AllowanceDependencies
  readonly #limits: RecentValues<AccountLimits>

  constructor(deps: AllowanceDependencies) {
    this.#deps = deps
    this.#limits = new RecentValues(deps.clock)
  }

  async limitsOf(accountId: string, options: Options): Promise<AccountLimits> {
    const lookUp = async (each: Options) => (await this.#deps.accounts.find(accountId, each))?.limits ?? noLimits
    return this.#limits.get(accountId, lookUp, options)
  }
}
