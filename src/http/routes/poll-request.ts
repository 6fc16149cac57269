import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { waitForInference } from '../../operations/deferred/wait-for-inference.ts'
import { clientSignal } from '../client-signal.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { type InferenceRoute, readTarget, requireReadable } from '../inference-target.ts'
import { encodeInference } from '../wire/deferred/inference.ts'
import { readPollWait } from '../wire/deferred/wait-parameter.ts'

/** GET /v1/requests/<id>: how a deferred request stands, at once or held until it is completed. */
export function registerPollRequest(api: FastifyInstance, deps: RouteDependencies): void {
  const config = { query: ['wait'] }
  api.get('/v1/requests/:id', { config }, async (incoming: FastifyRequest<InferenceRoute & { Querystring: { wait?: unknown } }>, reply) => {
    const wait = readPollWait(incoming.query.wait, incoming.headers.prefer)
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    using _place = wait.ms === 0 ? null : await deps.places.take(target.accountId, 'polls')
    const find = () =>
      wait.ms === 0 ? findInference(deps, target, options) : waitForInference(deps, { ...target, waitMs: wait.ms }, options)
    const inference = await deps.deadline.keep(reply, find, wait.ms)
    requireReadable(incoming, inference)
    if (inference.status !== 'completed') reply.header('retry-after', '1')
    if (wait.preferred) reply.header('preference-applied', `wait=${wait.ms / 1000}`)
    return reply.header('cache-control', 'no-store').send(encodeInference(deps.addresses(), inference))
  })
}
