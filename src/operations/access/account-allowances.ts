import { type AccountLimits, noLimits } from '../../core/account.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import { RecentValues } from './recent-values.ts'

type Options = { readonly signal: AbortSignal }

export interface AllowanceDependencies {
  readonly accounts: AccountStore
  readonly usage: UsageLog
  readonly clock: Clock
}

/** What the books say an account has used since midnight, UTC. */
export interface UsedToday {
  /** Read and written. */
  readonly tokens: number
  readonly images: number
}

/** What accounts may use and have used, a few seconds late at most. */
export class AccountAllowances {
  readonly #deps: AllowanceDependencies
  readonly #limits: RecentValues<AccountLimits>
  readonly #used: RecentValues<UsedToday>

  constructor(deps: AllowanceDependencies) {
    this.#deps = deps
    this.#limits = new RecentValues(deps.clock)
    this.#used = new RecentValues(deps.clock)
  }

  async limitsOf(accountId: string, options: Options): Promise<AccountLimits> {
    return this.#limits.get(accountId, async () => (await this.#deps.accounts.find(accountId, options))?.limits ?? noLimits)
  }

  async usedToday(accountId: string, options: Options): Promise<UsedToday> {
    const day = new Date(this.#deps.clock.now()).toISOString().slice(0, 10)
    return this.#used.get(`${day} ${accountId}`, async () => {
      const models = await this.#deps.usage.summarize({ accountId, from: day, to: day }, options)
      return {
        tokens: models.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0),
        images: models.reduce((sum, { images }) => sum + images, 0),
      }
    })
  }
}
