import type { AccountLimits } from './account.ts'

export type BudgetUnit = 'tokens' | 'images'

/** One limit on what an account may use in a stretch of time, and how much of it is gone. */
export interface Budget {
  readonly unit: BudgetUnit
  readonly per: 'day'
  readonly limit: number
  /** By what has ended. */
  readonly used: number
  /** By what runs or waits: the most that it can use. */
  readonly reserved: number
}

/** What a piece of work wants to set aside before it starts. */
export interface WantedBudget {
  /** Of the reservation; asked for again it takes the place of the earlier one. */
  readonly id: string
  readonly accountId: string
  /** Work that can do with fewer than `most` gets what is left, down to `least`. */
  readonly tokens: { readonly least: number; readonly most: number }
  readonly images: number
}

/** How many tokens the work may use at most, or the budget that has too little left for it. */
export type BudgetAnswer = { readonly granted: true; readonly tokens: number } | { readonly granted: false; readonly budget: Budget }

/** What is left of a budget; never below 0. */
export function leftOf({ limit, used, reserved }: Budget): number {
  return Math.max(0, limit - used - reserved)
}

/** Decides about a reservation; `budgets` are without what the same reservation holds already. */
export function decideBudget(budgets: readonly Budget[], { tokens, images }: Pick<WantedBudget, 'tokens' | 'images'>): BudgetAnswer {
  let granted = tokens.most
  for (const budget of budgets) {
    const left = leftOf(budget)
    if (left < (budget.unit === 'tokens' ? tokens.least : images)) return { granted: false, budget }
    if (budget.unit === 'tokens') granted = Math.min(granted, left)
  }
  return { granted: true, tokens: granted }
}

/** The sums that budgets are made of. */
export type BudgetSums = Readonly<Record<BudgetUnit, number>>

/** The budgets that an account's limits stand for. */
export function listBudgets(
  limits: Pick<AccountLimits, 'tokensPerDay' | 'imagesPerDay'>,
  usedToday: BudgetSums,
  reserved: BudgetSums,
): readonly Budget[] {
  const daily = [
    ['tokens', limits.tokensPerDay],
    ['images', limits.imagesPerDay],
  ] as const
  return daily.flatMap(([unit, limit]) =>
    limit === null ? [] : [{ unit, per: 'day', limit, used: usedToday[unit], reserved: reserved[unit] }],
  )
}

/** Unix milliseconds at which the next UTC day begins. */
export function nextMidnight(now: number): number {
  const dayMs = 24 * 60 * 60 * 1000
  return (Math.floor(now / dayMs) + 1) * dayMs
}
