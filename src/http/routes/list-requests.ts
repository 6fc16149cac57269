import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listInferences } from '../../operations/deferred/list-inferences.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeInference } from '../wire/deferred/inference.ts'
import { readListQuery } from '../wire/deferred/list-query.ts'

/** GET /v1/requests: the account's own deferred requests, newest first. */
export function registerListRequests(api: FastifyInstance, deps: HttpDependencies): void {
  const config = { query: ['status', 'limit', 'after'] }
  api.get('/v1/requests', { config }, async (incoming: FastifyRequest<{ Querystring: Record<string, unknown> }>, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const query = { accountId: caller.accountId, ...readListQuery(incoming.query) }
    const page = await listInferences(deps, query, { signal: clientSignal(reply) })
    const address = deps.addresses()
    return {
      object: 'list',
      data: page.inferences.map((inference) => encodeInference(address, inference)),
      has_more: page.next !== null,
      next: page.next,
    }
  })
}
