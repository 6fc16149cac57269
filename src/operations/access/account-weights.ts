import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { neverAborted } from '../../core/waiting.ts'
import { RecentValues } from './recent-values.ts'

interface WeightDependencies {
  readonly accounts: Pick<AccountStore, 'weights'>
  readonly clock: Clock
  /** Called when they cannot be read; those known before go on. */
  readonly onFault: (error: unknown) => void
}

/** How accounts weigh in queues, a few seconds late at most; read without waiting, because the planner that chooses the next cannot wait. */
export class AccountWeights {
  readonly #deps: WeightDependencies
  readonly #recent: RecentValues<ReadonlyMap<string, number>>
  #weights: ReadonlyMap<string, number> = new Map()

  constructor(deps: WeightDependencies) {
    this.#deps = deps
    this.#recent = new RecentValues(deps.clock)
  }

  /** 1 unless an owner has set another. */
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
