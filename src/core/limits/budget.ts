import { affordableTokens, costOf, type ModelPrice } from './model-price.ts'
import type { UseLimits } from './use-limits.ts'

/** `money` is counted in millionths of the price unit; `requests` are those in progress. */
export type BudgetUnit = 'tokens' | 'images' | 'money' | 'requests'

/** A UTC minute, day or calendar month; `moment` limits concurrency and has no history. */
export type BudgetPeriod = 'moment' | 'minute' | 'day' | 'month'

/** Subject of a limit: an account including its tokens, or one access token. */
export type BudgetSubject = 'account' | 'token'

/** A limit on use within a period, with the amount used so far. */
export interface Budget {
  readonly of: BudgetSubject
  readonly unit: BudgetUnit
  readonly per: BudgetPeriod
  readonly limit: number
  /** Used by completed work. */
  readonly used: number
  /** Reserved for running work and, for a day or month, for waiting work: the most it can use. */
  readonly reserved: number
}

/** A request to reserve a budget for work before it starts. */
export interface BudgetWish {
  /** Id of the work. A later wish with the same id replaces the earlier reservation; if it is refused, the earlier one stays. */
  readonly id: string
  readonly accountId: string
  /** null = a console session. */
  readonly tokenId: string | null
  /** The unit of its use, besides money and concurrency. */
  readonly unit: 'tokens' | 'images'
  /** Whether the work runs from now on; waiting work counts neither for a minute nor for concurrency. */
  readonly running: boolean
  /**
   * Work that accepts fewer tokens than `most` gets what is left, down to `least`. A `most` of 0 reserves nothing, but is refused if
   * `least` is not left.
   */
  readonly tokens: { readonly least: number; readonly most: number }
  /** Tokens of the prompt among them. */
  readonly promptTokens: number
  readonly images: number
  /** Price of the model; null = free. */
  readonly price: ModelPrice | null
}

/** A granted reservation. */
export interface BudgetGrant {
  /** Whether any limit applies to the work. */
  readonly isLimited: boolean
  /** Maximum number of tokens it may use. */
  readonly tokens: number
}

/** The tokens and money granted, or the exhausted budget. */
export type BudgetAnswer =
  | { readonly granted: true; readonly tokens: number; readonly cost: number }
  | { readonly granted: false; readonly budget: Budget }

/** Amount left in a budget; never below 0. */
export function leftOf({ limit, used, reserved }: Budget): number {
  return Math.max(0, limit - used - reserved)
}

type WantedAmounts = Pick<BudgetWish, 'running' | 'tokens' | 'promptTokens' | 'images' | 'price'>

/** Decides about a reservation; `budgets` exclude the amount held by an earlier reservation of the same id. */
export function decideBudget(budgets: readonly Budget[], wanted: WantedAmounts): BudgetAnswer {
  let tokens = wanted.tokens.most
  for (const budget of budgets) {
    const allowed = allowedTokens(budget, wanted)
    if (allowed === null) return { granted: false, budget }
    tokens = Math.min(tokens, allowed)
  }
  return { granted: true, tokens, cost: costOfTokens(tokens, wanted) }
}

/** The minimum amount the work needs from a budget. */
export function neededOf({ unit, per, limit }: Pick<Budget, 'unit' | 'per' | 'limit'>, wanted: WantedAmounts): number {
  switch (unit) {
    case 'tokens':
      // A minute passes soon, so work waits for the next one instead of being cut short, unless it needs more than a whole minute's limit.
      return per === 'minute' ? Math.max(wanted.tokens.least, Math.min(wanted.tokens.most, limit)) : wanted.tokens.least
    case 'images':
      return wanted.images
    case 'money':
      return costOfTokens(wanted.tokens.least, wanted)
    case 'requests':
      return 1
  }
}

/** Maximum tokens that a budget allows the work; null = too few. */
function allowedTokens(budget: Budget, wanted: WantedAmounts): number | null {
  const { unit, per } = budget
  if (!wanted.running && (per === 'minute' || per === 'moment')) return Number.POSITIVE_INFINITY
  const left = leftOf(budget)
  if (left < neededOf(budget, wanted)) return null
  if (unit === 'tokens') return left
  if (unit !== 'money' || wanted.price === null) return Number.POSITIVE_INFINITY
  const money = left - wanted.images * wanted.price.image
  return wanted.promptTokens + affordableTokens(wanted.price, { promptTokens: wanted.promptTokens, money })
}

function costOfTokens(tokens: number, { promptTokens, images, price }: WantedAmounts): number {
  const read = Math.min(tokens, promptTokens)
  return costOf(price, { promptTokens: read, completionTokens: tokens - read, images })
}

/** Amounts used in a period. */
export interface UsedSums {
  readonly tokens: number
  readonly images: number
  /** In millionths of the price unit. */
  readonly money: number
}

/** Reserved amounts. */
export interface ReservedSums extends UsedSums {
  /** The share of running work. */
  readonly running: { readonly requests: number; readonly tokens: number; readonly images: number }
}

/** Amounts used and reserved by a subject at one time. */
export interface BudgetSums {
  readonly used: Readonly<Record<'minute' | 'day' | 'month', UsedSums>>
  readonly reserved: ReservedSums
}

/** The budgets that result from the limits of an account or token. */
export function listBudgets(of: BudgetSubject, limits: UseLimits, { used, reserved }: BudgetSums): readonly Budget[] {
  const { running } = reserved
  const all = [
    ['requests', 'moment', limits.concurrentRequests, 0, running.requests],
    ['tokens', 'minute', limits.tokensPerMinute, used.minute.tokens, running.tokens],
    ['images', 'minute', limits.imagesPerMinute, used.minute.images, running.images],
    ['tokens', 'day', limits.tokensPerDay, used.day.tokens, reserved.tokens],
    ['images', 'day', limits.imagesPerDay, used.day.images, reserved.images],
    ['money', 'day', limits.moneyPerDay, used.day.money, reserved.money],
    ['tokens', 'month', limits.tokensPerMonth, used.month.tokens, reserved.tokens],
    ['images', 'month', limits.imagesPerMonth, used.month.images, reserved.images],
    ['money', 'month', limits.moneyPerMonth, used.month.money, reserved.money],
  ] as const
  return all.flatMap(([unit, per, limit, used, reserved]) => (limit === null ? [] : [{ of, unit, per, limit, used, reserved }]))
}

/** Whether any limit needs a budget; requests per minute are counted elsewhere. */
export function hasBudgets({ requestsPerMinute: _, ...limits }: UseLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null)
}

/** Whether any limit applies to a unit of work. */
export function concerns(limits: UseLimits, unit: BudgetWish['unit']): boolean {
  const { concurrentRequests, moneyPerDay, moneyPerMonth } = limits
  const own =
    unit === 'tokens'
      ? [limits.tokensPerMinute, limits.tokensPerDay, limits.tokensPerMonth]
      : [limits.imagesPerMinute, limits.imagesPerDay, limits.imagesPerMonth]
  return [...own, concurrentRequests, moneyPerDay, moneyPerMonth].some((limit) => limit !== null)
}

/** Whether a wish reserves anything, rather than only checking what is left. */
export function takesAnything({ tokens, images }: Pick<BudgetWish, 'tokens' | 'images'>, limits: readonly UseLimits[]): boolean {
  return tokens.most > 0 || images > 0 || limits.some(({ concurrentRequests }) => concurrentRequests !== null)
}

/** Whether any limit is monthly. */
export function hasMonthlyBudget({ tokensPerMonth, imagesPerMonth, moneyPerMonth }: UseLimits): boolean {
  return tokensPerMonth !== null || imagesPerMonth !== null || moneyPerMonth !== null
}

const minuteMs = 60_000

/** Starts of the current periods: the minute in Unix milliseconds, day and month as `YYYY-MM-DD`. */
export function budgetStarts(now: number): { readonly minute: number; readonly day: string; readonly month: string } {
  const day = new Date(now).toISOString().slice(0, 10)
  return { minute: Math.floor(now / minuteMs) * minuteMs, day, month: `${day.slice(0, 8)}01` }
}

/** Time at which a budget resets, in Unix milliseconds; `moment` resets whenever work ends, so it has none. */
export function nextReset(per: BudgetPeriod, now: number): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (per) {
    case 'moment':
      return now
    case 'minute':
      return (Math.floor(now / minuteMs) + 1) * minuteMs
    case 'day':
      return Date.UTC(year, month, date.getUTCDate() + 1)
    case 'month':
      return Date.UTC(year, month + 1)
  }
}
