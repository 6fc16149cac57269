import type { Budget, BudgetGrant, BudgetWish } from '../limits/budget.ts'
import type { Abortable } from '../waiting.ts'

/** Age at which a reservation for waiting work without an inference is dropped: both its submission and its release have failed. */
export const abandonedMs = 10 * 60 * 1000

/** An account and, if given, one of its tokens. */
export interface BudgetHolder {
  readonly accountId: string
  readonly tokenId: string | null
}

/**
 * Reserves the maximum use of work in advance, so that concurrent work can never exceed the limits of an account or token.
 *
 * A reservation ends with {@link release}, with the usage entry that names it, or with the inference of the same id. The next call of
 * {@link reserve} on this node takes it as ended as soon as appending that entry has begun. One for waiting work that never entered the
 * queue ends {@link abandonedMs} after its id was made.
 */
export interface BudgetLedger {
  /**
   * Reserves from every applicable budget of the account and token, or from none, with the check inside the write. Without applicable
   * budgets nothing is written.
   *
   * @throws {ServiceError} `quota_exceeded`, `rate_limit_exceeded` or `concurrency_limit_exceeded` if too little is left; an earlier
   * reservation for the same work stays.
   */
  reserve(wish: BudgetWish, options: Abortable): Promise<BudgetGrant>
  /** Releases a reservation; no effect if it has ended. */
  release(id: string, options: Abortable): Promise<void>
  /** The current budgets; empty if nothing is limited. */
  budgets(holder: BudgetHolder, options: Abortable): Promise<readonly Budget[]>
}
