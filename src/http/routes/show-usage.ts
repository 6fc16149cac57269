import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeUsage, readUsageQuery } from '../wire/service/usage.ts'

/** GET /v1/usage: sums per day and model of the account that asks, and its budgets. */
export function registerShowUsage(api: FastifyInstance, { usage, ledger, clock }: HttpDependencies): void {
  const config = { query: ['from', 'to'] }
  api.get('/v1/usage', { config }, async (incoming: FastifyRequest<{ Querystring: Record<string, unknown> }>, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const options = { signal: clientSignal(reply) }
    const days = await usage.summarize({ accountId: caller.accountId, ...readUsageQuery(incoming.query, clock.now()) }, options)
    return encodeUsage(days, await ledger.budgets(caller, options))
  })
}
