import type { FastifyInstance, FastifyRequest } from 'fastify'
import { reportUsage } from '../../operations/report-usage.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeUsage, encodeUsageReport, readUsageDimensions, readUsageQuery } from '../wire/service/usage.ts'

/** GET /v1/usage: sums of the account that asks, per day and model or as it asks, and its budgets. */
export function registerShowUsage(api: FastifyInstance, deps: HttpDependencies): void {
  const { usage, ledger, clock } = deps
  const config = { query: ['from', 'to', 'by'] }
  api.get('/v1/usage', { config }, async (incoming: FastifyRequest<{ Querystring: Record<string, unknown> }>, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const options = { signal: clientSignal(reply) }
    const { accountId } = caller
    const span = readUsageQuery(incoming.query, clock.now())
    const by = readUsageDimensions(incoming.query)
    if (by !== null)
      return encodeUsageReport(await reportUsage(deps, { accountId, ...span, by }, options), await ledger.budgets(caller, options))
    const days = await usage.summarize({ accountId, ...span }, options)
    return encodeUsage(days, await ledger.budgets(caller, options))
  })
}
