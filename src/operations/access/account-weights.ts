import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { neverAborted } from '../../core/waiting.ts'
import { RecentValues } from './recent-values.ts'

interface WeightDependencies {
  readonly accounts: Pick<AccountStore, 'weights'>
  readonly clock: Clock
  /** Called when the weights cannot be read; the last known ones stay in use. */
  readonly onFault: (error: unknown) => void
}

/**
 * Weights of accounts in queues, cached for a few seconds. Reading is synchronous, because the planner that chooses the next request cannot
 * wait.
 */
export class AccountWeights {
  readonly #deps: WeightDependencies
  readonly #recent: RecentValues<ReadonlyMap<string, number>>
  #weights: ReadonlyMap<string, number> = new Map()

  constructor(deps: WeightDependencies) {
    this.#deps = deps
    this.#recent = new RecentValues(deps.clock)
  }

  /** Weight of an account; 1 unless set by an owner. */
  of(accountId: string): number {
    if (this.#recent.known('all') === undefined) void this.#recent.get('all', () => this.#read(), neverAborted)
    return this.#weights.get(accountId) ?? 1
  }

  async #read(): Promise<ReadonlyMap<string, number>> {
    const { accounts, onFault } = this.#deps
    try {
      this.#weights = await accounts.weights(neverAborted)
    } catch (error) {
      onFault(error)
    }
    return this.#weights
  }
}
