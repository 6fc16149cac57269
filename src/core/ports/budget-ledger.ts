import type { Budget, BudgetAnswer, WantedBudget } from '../limits/budget.ts'

/** Whose budgets: those of an account, and of one of its tokens where one is named. */
export interface BudgetHolder {
  readonly accountId: string
  readonly tokenId: string | null
}

/**
 * Sets aside what work can use at most, so that no account and no token ever uses more than it may, however much it starts at once.
 *
 * A reservation ends with {@link release}, with the entry in the books that names it, or with the inference of the same id.
 */
export interface BudgetLedger {
  /** Takes from every budget of the account and the token or from none; the condition stands in the write. What a refused one held before stays. */
  reserve(wanted: WantedBudget, options: { readonly signal: AbortSignal }): Promise<BudgetAnswer>
  /** Gives back what a reservation set aside; nothing happens when it has ended. */
  release(id: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** The budgets now; none when nothing is limited. */
  budgets(holder: BudgetHolder, options: { readonly signal: AbortSignal }): Promise<readonly Budget[]>
}
