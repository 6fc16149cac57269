import type { Budget, BudgetAnswer, WantedBudget } from '../budget.ts'

/**
 * Sets aside what work can use at most, so that no account ever uses more than it may, however much it starts at once.
 *
 * A reservation ends with {@link release}, with the entry in the books that names it, or with the inference of the same id.
 */
export interface BudgetLedger {
  /** Takes from every budget of the account or from none; the condition stands in the write. */
  reserve(wanted: WantedBudget, options: { readonly signal: AbortSignal }): Promise<BudgetAnswer>
  release(id: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** The account's budgets now; none when nothing is limited. */
  budgets(accountId: string, options: { readonly signal: AbortSignal }): Promise<readonly Budget[]>
}
