import { affordableTokens, costOf, type ModelPrice } from './model-price.ts'
import type { UseLimits } from './use-limits.ts'

/** `money` is counted in millionths of the unit that prices are in; `requests` are those in work. */
export type BudgetUnit = 'tokens' | 'images' | 'money' | 'requests'

/** A minute, a day or a calendar month of UTC; a moment has nothing behind it and only counts what runs. */
export type BudgetPeriod = 'moment' | 'minute' | 'day' | 'month'

/** What is limited: an account, with all that its tokens do, or one of its access tokens. */
export type BudgetSubject = 'account' | 'token'

/** One limit on what somebody may use in a stretch of time, and how much of it is gone. */
export interface Budget {
  readonly of: BudgetSubject
  readonly unit: BudgetUnit
  readonly per: BudgetPeriod
  readonly limit: number
  /** By what has ended. */
  readonly used: number
  /** By what runs, and for a day or a month by what waits: the most that it can use. */
  readonly reserved: number
}

/** What a piece of work wants to set aside before it starts. */
export interface BudgetWish {
  /** Of the work. A later wish for it takes the place of the earlier one, which stays if the later is refused. */
  readonly id: string
  readonly accountId: string
  /** null = a signed-in browser. */
  readonly tokenId: string | null
  /** What it uses besides money and a place among the requests at once. */
  readonly unit: 'tokens' | 'images'
  /** Whether it is in work from now on; what waits counts neither in a minute nor among the requests at once. */
  readonly running: boolean
  /** Work that can do with fewer than `most` gets what is left, down to `least`; a `most` of 0 sets nothing aside, but is refused where `least` is not left. */
  readonly tokens: { readonly least: number; readonly most: number }
  /** How many of the tokens are read rather than written. */
  readonly promptTokens: number
  readonly images: number
  /** What it is counted at; null = for nothing. */
  readonly price: ModelPrice | null
}

/** What a ledger has set aside for work. */
export interface BudgetGrant {
  /** Whether any budget concerns the work. */
  readonly isLimited: boolean
  /** Tokens that it may use at most. */
  readonly tokens: number
}

/** How many tokens the work may use at most and what that costs, or the budget that has too little left for it. */
export type BudgetAnswer =
  | { readonly granted: true; readonly tokens: number; readonly cost: number }
  | { readonly granted: false; readonly budget: Budget }

/** What is left of a budget; never below 0. */
export function leftOf({ limit, used, reserved }: Budget): number {
  return Math.max(0, limit - used - reserved)
}

type WantedAmounts = Pick<BudgetWish, 'running' | 'tokens' | 'promptTokens' | 'images' | 'price'>

/** Decides about a reservation; `budgets` are without what the same reservation holds already. */
export function decideBudget(budgets: readonly Budget[], wanted: WantedAmounts): BudgetAnswer {
  let tokens = wanted.tokens.most
  for (const budget of budgets) {
    const allowed = allowedTokens(budget, wanted)
    if (allowed === null) return { granted: false, budget }
    tokens = Math.min(tokens, allowed)
  }
  return { granted: true, tokens, cost: costOfTokens(tokens, wanted) }
}

/** What the work wants of a budget at least. */
export function neededOf({ unit, per, limit }: Pick<Budget, 'unit' | 'per' | 'limit'>, wanted: WantedAmounts): number {
  switch (unit) {
    case 'tokens':
      // A minute comes back soon: work waits for the next one rather than be cut short, unless no minute has enough for all of it.
      return per === 'minute' ? Math.max(wanted.tokens.least, Math.min(wanted.tokens.most, limit)) : wanted.tokens.least
    case 'images':
      return wanted.images
    case 'money':
      return costOfTokens(wanted.tokens.least, wanted)
    case 'requests':
      return 1
  }
}

/** The most tokens that a budget leaves to the work; null = too few for it. */
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

/** What was used in a stretch of time. */
export interface UsedSums {
  readonly tokens: number
  readonly images: number
  /** In millionths. */
  readonly money: number
}

/** What is set aside. */
export interface ReservedSums extends UsedSums {
  /** Of it, by what runs. */
  readonly running: { readonly requests: number; readonly tokens: number; readonly images: number }
}

/** What a subject has used and set aside, as of one moment. */
export interface BudgetSums {
  readonly used: Readonly<Record<'minute' | 'day' | 'month', UsedSums>>
  readonly reserved: ReservedSums
}

/** The budgets that the limits of an account or a token stand for. */
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

/** Whether limits hold any budget; requests a minute are counted elsewhere. */
export function hasBudgets({ requestsPerMinute: _, ...limits }: UseLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null)
}

/** Whether limits hold a budget that work of a kind counts in. */
export function concerns(limits: UseLimits, unit: BudgetWish['unit']): boolean {
  const { concurrentRequests, moneyPerDay, moneyPerMonth } = limits
  const own =
    unit === 'tokens'
      ? [limits.tokensPerMinute, limits.tokensPerDay, limits.tokensPerMonth]
      : [limits.imagesPerMinute, limits.imagesPerDay, limits.imagesPerMonth]
  return [...own, concurrentRequests, moneyPerDay, moneyPerMonth].some((limit) => limit !== null)
}

/** Whether a wish takes anything from these limits, rather than only finds out whether there is something left. */
export function takesAnything({ tokens, images }: Pick<BudgetWish, 'tokens' | 'images'>, limits: readonly UseLimits[]): boolean {
  return tokens.most > 0 || images > 0 || limits.some(({ concurrentRequests }) => concurrentRequests !== null)
}

/** Whether limits hold a budget of a month. */
export function hasMonthlyBudget({ tokensPerMonth, imagesPerMonth, moneyPerMonth }: UseLimits): boolean {
  return tokensPerMonth !== null || imagesPerMonth !== null || moneyPerMonth !== null
}

const minuteMs = 60_000

/** From when on work counts for the budgets of now: of a minute, as Unix milliseconds; of a day and of a month, as `YYYY-MM-DD`. */
export function budgetStarts(now: number): { readonly minute: number; readonly day: string; readonly month: string } {
  const day = new Date(now).toISOString().slice(0, 10)
  return { minute: Math.floor(now / minuteMs) * minuteMs, day, month: `${day.slice(0, 8)}01` }
}

/** Unix milliseconds at which a budget is whole again; a moment's is when something ends, which nobody knows. */
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
