import type { AccountLimits } from '../../core/account.ts'
import {
  type Budget,
  type BudgetAnswer,
  type BudgetPeriod,
  type BudgetSums,
  decideBudget,
  listBudgets,
  type WantedBudget,
} from '../../core/budget.ts'
import type { BudgetLedger } from '../../core/ports/budget-ledger.ts'

type Options = { readonly signal: AbortSignal }

interface BudgetFacts {
  readonly limitsOf: (accountId: string) => AccountLimits
  readonly used: (accountId: string) => Readonly<Record<BudgetPeriod, BudgetSums>>
}

interface Held extends BudgetSums {
  readonly accountId: string
}

/** What accounts have used and reserved, gone when the process is. */
export class MemoryBudgetLedger implements BudgetLedger {
  readonly #facts: BudgetFacts
  readonly #held = new Map<string, Held>()

  constructor(facts: BudgetFacts) {
    this.#facts = facts
  }

  async reserve(wanted: WantedBudget, { signal }: Options): Promise<BudgetAnswer> {
    signal.throwIfAborted()
    const { id, accountId, images } = wanted
    this.end(id)
    const answer = decideBudget(this.#list(accountId), wanted)
    if (answer.granted) this.#held.set(id, { accountId, tokens: answer.tokens, images })
    return answer
  }

  async release(id: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.end(id)
  }

  async budgets(accountId: string, { signal }: Options): Promise<readonly Budget[]> {
    signal.throwIfAborted()
    return this.#list(accountId)
  }

  /** Ends a reservation in the same turn as whatever settles it. */
  end(id: string): void {
    this.#held.delete(id)
  }

  #list(accountId: string): readonly Budget[] {
    const own = [...this.#held.values()].filter((held) => held.accountId === accountId)
    const reserved = { tokens: sum(own.map(({ tokens }) => tokens)), images: sum(own.map(({ images }) => images)) }
    return listBudgets(this.#facts.limitsOf(accountId), this.#facts.used(accountId), reserved)
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
