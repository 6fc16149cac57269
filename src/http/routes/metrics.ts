import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'

/** GET /metrics, in Prometheus' text format: sums over every account, so for owners. */
export function registerMetrics(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/metrics', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const account = await deps.accounts.find(caller.accountId, { signal: clientSignal(reply) })
    if (account?.role !== 'owner')
      throw new ServiceError('insufficient_scope', 'Use an access token of an owner; the metrics cover every account.')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(deps.renderMetrics())
  })
}
