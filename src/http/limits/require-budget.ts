import type { FastifyReply } from 'fastify'
import type { Caller } from '../../core/access-token.ts'
import { type Budget, leftOf, nextReset } from '../../core/limits/budget.ts'
import { budgetExceeded } from '../../core/limits/budget-exceeded.ts'
import type { BudgetDependencies } from '../../operations/budgets/wish-of.ts'
import { clientSignal } from '../client-signal.ts'
import { formatReset } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The budget that the route's work uses. */
    readonly spends?: 'tokens' | 'images' | undefined
  }
}

/**
 * Checks that a caller has budget left for work of one kind, and sets the `x-ratelimit-*` headers to the smallest remaining budget of the
 * account and the token. Running and waiting work counts with the most that it can use.
 *
 * @throws {ServiceError} `quota_exceeded` when the day's or the month's budget is used up, unless the request has an idempotency key: it
 * may repeat an accepted one, which only its submission can find. Limits per minute are checked when the work runs.
 */
export async function requireBudget(
  { ledger, clock }: BudgetDependencies,
  { caller, spends, reply }: { readonly caller: Caller; readonly spends: 'tokens' | 'images'; readonly reply: FastifyReply },
): Promise<void> {
  const budgets = (await ledger.budgets(caller, { signal: clientSignal(reply) })).filter(({ unit }) => unit === spends)
  const [tightest] = budgets.toSorted((one, other) => leftOf(one) - leftOf(other))
  if (tightest === undefined) return
  const now = clock.now()
  reply.header(`x-ratelimit-limit-${spends}`, String(tightest.limit))
  reply.header(`x-ratelimit-remaining-${spends}`, String(leftOf(tightest)))
  reply.header(`x-ratelimit-reset-${spends}`, formatReset(nextReset(tightest.per, now) - now))
  if (reply.request.headers['idempotency-key'] !== undefined) return
  const spent = budgets.find((budget) => isLasting(budget) && leftOf(budget) === 0)
  if (spent !== undefined) throw budgetExceeded(spent, now)
}

function isLasting({ per }: Budget): boolean {
  return per === 'day' || per === 'month'
}
