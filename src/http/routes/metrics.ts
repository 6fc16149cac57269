import type { FastifyInstance } from 'fastify'
import { callerOf, requireScope } from '../caller.ts'
import type { HttpDependencies } from '../http-dependencies.ts'

/** GET /metrics, in Prometheus' text format. */
export function registerMetrics(api: FastifyInstance, deps: HttpDependencies): void {
  api.get('/metrics', async (incoming, reply) => {
    requireScope(callerOf(incoming), ['read'])
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(deps.renderMetrics())
  })
}
