import type { FastifyReply } from 'fastify'
import { type Budget, type BudgetUnit, leftOf, nextReset } from '../../core/budget.ts'
import type { BudgetDependencies } from '../../operations/budgets/hold-budget.ts'
import { quotaExceeded } from '../../operations/budgets/quota-exceeded.ts'
import { clientSignal } from '../client-signal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the work of a route uses up. */
    readonly spends?: BudgetUnit
  }
}

/**
 * Lets an account start further work of one kind, and sets the `x-ratelimit-*` headers where its amount per UTC day or month is limited: of the budget that has
 * the least left.
 * What runs and waits counts with the most that it can use.
 *
 * @throws {ServiceError} `quota_exceeded` when nothing is left.
 */
export async function requireQuota(
  { ledger, clock }: BudgetDependencies,
  { accountId, spends, reply }: { readonly accountId: string; readonly spends: BudgetUnit; readonly reply: FastifyReply },
): Promise<void> {
  const budgets = await ledger.budgets(accountId, { signal: clientSignal(reply) })
  const budget = budgets.filter(({ unit }) => unit === spends).reduce<Budget | undefined>(tighter, undefined)
  if (budget === undefined) return
  const now = clock.now()
  reply.header(`x-ratelimit-limit-${spends}`, String(budget.limit))
  reply.header(`x-ratelimit-remaining-${spends}`, String(leftOf(budget)))
  reply.header(`x-ratelimit-reset-${spends}`, `${Math.ceil((nextReset(budget.per, now) - now) / 1000)}s`)
  if (leftOf(budget) === 0) throw quotaExceeded(budget, now)
}

function tighter(one: Budget | undefined, other: Budget): Budget {
  return one === undefined || leftOf(other) < leftOf(one) ? other : one
}
