import type { BudgetUnit, WantedBudget } from '../../core/budget.ts'
import type { BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { quotaExceeded } from './quota-exceeded.ts'

/** What reserving needs. */
export interface BudgetDependencies {
  readonly ledger: BudgetLedger
  readonly clock: Clock
}

/**
 * Sets aside what work may use, where its account has a budget of that kind at all.
 *
 * @returns Tokens that the work may use; null = any number.
 * @throws {ServiceError} `quota_exceeded` when too little is left.
 */
export async function holdBudget(
  { ledger, clock }: BudgetDependencies,
  wanted: WantedBudget & { readonly unit: BudgetUnit },
  options: { readonly signal: AbortSignal },
): Promise<number | null> {
  if (!(await hasBudget({ ledger }, wanted, options))) return null
  const { unit, ...reservation } = wanted
  const answer = await ledger.reserve(reservation, options)
  if (answer.granted) return answer.tokens
  throw quotaExceeded(answer.budget, clock.now(), unit === 'tokens' ? wanted.tokens.least : wanted.images)
}

/** Whether an account has a budget of one kind. */
export async function hasBudget(
  { ledger }: Pick<BudgetDependencies, 'ledger'>,
  { accountId, unit }: { readonly accountId: string; readonly unit: BudgetUnit },
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  return (await ledger.budgets(accountId, options)).some((budget) => budget.unit === unit)
}
