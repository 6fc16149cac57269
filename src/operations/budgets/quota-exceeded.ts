import { type Budget, leftOf, nextReset } from '../../core/budget.ts'
import { ServiceError } from '../../core/error.ts'

/** Seconds after which work that runs may have given back what it had set aside and did not use. */
const settleSeconds = 5

/**
 * The error of work that a budget has too little left for.
 *
 * @param needed What the work wanted; absent = anything at all.
 */
export function quotaExceeded(budget: Budget, now: number, needed?: number): ServiceError {
  const { unit, per, limit, used, reserved } = budget
  const resetAt = nextReset(per, now)
  const reset = new Date(resetAt).toISOString().replace('.000', '')
  const held = reserved === 0 ? '' : ` and has set ${reserved} aside for what runs and waits`
  const wants = needed === undefined ? '' : `; this request may need ${needed} and ${leftOf(budget)} are left`
  return new ServiceError(
    'quota_exceeded',
    `This account may use ${limit} ${unit} a ${per} and has used ${used}${held}${wants}; wait for the reset at ${reset}, ask for less, or ask an owner for more.`,
    { retryAfterSeconds: reserved > 0 ? settleSeconds : Math.ceil((resetAt - now) / 1000) },
  )
}
