import { ServiceError } from '../error.ts'
import { type Budget, type BudgetAnswer, type BudgetGrant, type BudgetWish, leftOf, neededOf, nextReset } from './budget.ts'
import { formatMoney } from './model-price.ts'

/** Seconds after which running work may have released unused reservations. */
const settleSeconds = 5

const who = { account: 'This account', token: 'This access token' } as const

/**
 * The grant in a ledger's answer.
 *
 * @throws {ServiceError} `quota_exceeded`, `rate_limit_exceeded` or `concurrency_limit_exceeded` if the answer is a refusal.
 */
export function grantOf(answer: BudgetAnswer, wish: BudgetWish, now: number): BudgetGrant {
  if (answer.granted) return { isLimited: true, tokens: answer.tokens }
  throw budgetExceeded(answer.budget, now, neededOf(answer.budget, wish))
}

/**
 * The error for an exhausted budget: it names the budget, what is left and the fix.
 *
 * @param needed The amount requested; absent = unspecified.
 */
export function budgetExceeded(budget: Budget, now: number, needed?: number): ServiceError {
  const { of, unit, per, limit, used, reserved } = budget
  if (unit === 'requests')
    return new ServiceError(
      'concurrency_limit_exceeded',
      `${who[of]} has reached its limit of ${limit} requests at once (${reserved} are running); wait until one ends, or ask an owner for more.`,
      { retryAfterSeconds: settleSeconds },
    )
  const resetAt = nextReset(per, now)
  const reset = new Date(resetAt).toISOString().replace('.000', '')
  const [may, amount] = unit === 'money' ? ['spend', formatMoney] : ['use', String]
  const has = unit === 'money' ? 'spent' : 'used'
  const what = unit === 'money' ? '' : ` ${unit}`
  const held = reserved === 0 ? '' : ` and reserved ${amount(reserved)} for running and waiting work`
  const wants = needed === undefined ? '' : `; this request may need ${amount(needed)} and ${amount(leftOf(budget))} are left`
  // Waiting does not help if the amount exceeds the limit of a whole minute.
  const isRate = per === 'minute' && (needed ?? 0) <= limit && limit > 0
  return new ServiceError(
    isRate ? 'rate_limit_exceeded' : 'quota_exceeded',
    `${who[of]} may ${may} ${amount(limit)}${what} a ${per} and has ${has} ${amount(used)}${held}${wants}; wait for the reset at ${reset}, ask for less, or ask an owner for more.`,
    { retryAfterSeconds: reserved > 0 ? Math.min(settleSeconds, secondsUntil(resetAt, now)) : secondsUntil(resetAt, now) },
  )
}

function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000))
}
