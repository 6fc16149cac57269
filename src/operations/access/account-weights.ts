import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { unstoppable } from '../../core/waiting.ts'

/** How long weights are believed. */
const believedMs = 5000

interface WeightDependencies {
  readonly accounts: Pick<AccountStore, 'weights'>
  readonly clock: Clock
  /** Told when they cannot be read; those known before go on. */
  readonly onFault: (error: unknown) => void
}

/** How accounts weigh in queues, a few seconds late at most; asked for without waiting, because whoever chooses the next cannot wait. */
export class AccountWeights {
  readonly #deps: WeightDependencies
  #weights: ReadonlyMap<string, number> = new Map()
  #until = Number.NEGATIVE_INFINITY

  constructor(deps: WeightDependencies) {
    this.#deps = deps
  }

  /** 1 for whom nobody has given another. */
  of(accountId: string): number {
    const { accounts, clock, onFault } = this.#deps
    const now = clock.now()
    // A clock set back must not make them live longer.
    if (now >= this.#until || this.#until - now > believedMs) {
      this.#until = now + believedMs
      accounts.weights(unstoppable).then((weights) => {
        this.#weights = weights
      }, onFault)
    }
    return this.#weights.get(accountId) ?? 1
  }
}
