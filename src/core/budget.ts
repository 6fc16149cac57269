import type { AccountLimits } from './account.ts'

export type BudgetUnit = 'tokens' | 'images'

/** A day or a calendar month of UTC. */
export type BudgetPeriod = 'day' | 'month'

/** One limit on what an account may use in a stretch of time, and how much of it is gone. */
export interface Budget {
  readonly unit: BudgetUnit
  readonly per: BudgetPeriod
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

/** The limits that are budgets. */
export type BudgetLimits = Pick<AccountLimits, 'tokensPerDay' | 'imagesPerDay' | 'tokensPerMonth' | 'imagesPerMonth'>

/** The budgets that an account's limits stand for. */
export function listBudgets(
  { tokensPerDay, imagesPerDay, tokensPerMonth, imagesPerMonth }: BudgetLimits,
  used: Readonly<Record<BudgetPeriod, BudgetSums>>,
  reserved: BudgetSums,
): readonly Budget[] {
  const all = [
    ['tokens', 'day', tokensPerDay],
    ['images', 'day', imagesPerDay],
    ['tokens', 'month', tokensPerMonth],
    ['images', 'month', imagesPerMonth],
  ] as const
  return all.flatMap(([unit, per, limit]) =>
    limit === null ? [] : [{ unit, per, limit, used: used[per][unit], reserved: reserved[unit] }],
  )
}

/** The days, as `YYYY-MM-DD`, from which on work counts for the budgets of now: of a day, and of a month. */
export function budgetDays(now: number): Readonly<Record<BudgetPeriod, string>> {
  const day = new Date(now).toISOString().slice(0, 10)
  return { day, month: `${day.slice(0, 8)}01` }
}

/** Unix milliseconds at which a budget is whole again. */
export function nextReset(per: BudgetPeriod, now: number): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return per === 'month' ? Date.UTC(year, month + 1) : Date.UTC(year, month, date.getUTCDate() + 1)
}
