import { type Budget, type BudgetUnit, neededOf, type WantedBudget } from '../../core/limits/budget.ts'
import type { ModelPrice } from '../../core/limits/model-price.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { budgetExceeded } from './budget-exceeded.ts'

/** What reserving needs. */
export interface BudgetDependencies {
  readonly ledger: BudgetLedger
  readonly clock: Clock
  /** What a model costs now; null = nothing. Absent where nothing has a price. */
  readonly priceOf?: (model: string) => ModelPrice | null
}

/** What work wants of the budgets that concern it: of its own unit, of money, and of what runs at once. */
export interface BudgetWish extends Omit<WantedBudget, 'price'> {
  readonly unit: 'tokens' | 'images'
  readonly model: string
}

/**
 * Sets aside what work may use, where its account or its token has a budget that concerns it at all.
 *
 * @returns Tokens that the work may use; null = any number.
 * @throws {ServiceError} `quota_exceeded`, `rate_limit_exceeded` or `concurrency_limit_exceeded` when too little is left.
 */
export async function holdBudget(
  { ledger, clock, priceOf }: BudgetDependencies,
  { unit, model, ...wish }: BudgetWish,
  options: { readonly signal: AbortSignal },
): Promise<number | null> {
  if (!(await hasBudget({ ledger }, { ...wish, unit }, options))) return null
  const wanted = { ...wish, price: priceOf?.(model) ?? null }
  const answer = await ledger.reserve(wanted, options)
  if (answer.granted) return answer.tokens
  throw budgetExceeded(answer.budget, clock.now(), neededOf(answer.budget, wanted))
}

/** Whether an account or a token has a budget that concerns work of a kind. */
export async function hasBudget(
  { ledger }: Pick<BudgetDependencies, 'ledger'>,
  { unit, ...holder }: BudgetHolder & { readonly unit: BudgetUnit },
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  return (await ledger.budgets(holder, options)).some((budget) => concerns(budget, unit))
}

/** Whether a budget counts in work of a kind. */
export function concerns({ unit }: Pick<Budget, 'unit'>, work: BudgetUnit): boolean {
  return unit === work || unit === 'money' || unit === 'requests'
}
