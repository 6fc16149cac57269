import type { Budget, BudgetGrant, BudgetWish } from '../limits/budget.ts'

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
  /**
   * Takes from every budget of the account and the token that concerns the work, or from none; the condition stands in the write. Nothing is written where none does.
   *
   * @throws {ServiceError} `quota_exceeded`, `rate_limit_exceeded` or `concurrency_limit_exceeded` when too little is left; what an earlier wish for the same work
   *   had set aside stays.
   */
  reserve(wish: BudgetWish, options: { readonly signal: AbortSignal }): Promise<BudgetGrant>
  /** Gives back what a reservation set aside; nothing happens when it has ended. */
  release(id: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** The budgets now; none when nothing is limited. */
  budgets(holder: BudgetHolder, options: { readonly signal: AbortSignal }): Promise<readonly Budget[]>
}
