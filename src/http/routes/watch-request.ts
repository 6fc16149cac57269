import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { watchInference } from '../../operations/deferred/watch-inference.ts'
import { afterFirst } from '../answers/first-part.ts'
import { sendEvents } from '../answers/send-events.ts'
import { clientSignal } from '../client-signal.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { type InferenceRoute, readTarget, requireReadable } from '../inference-target.ts'
import { encodeInferenceStream } from '../wire/deferred/inference-stream.ts'

/** GET /v1/requests/<id>/events: a deferred request as it goes, until it is completed. */
export function registerWatchRequest(api: FastifyInstance, deps: RouteDependencies): void {
  // A HEAD would be held open as long as the events.
  api.get('/v1/requests/:id/events', { exposeHeadRoute: false }, async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    requireReadable(incoming, await findInference(deps, target, options))
    using _place = await deps.places.take(target.accountId, 'events')
    const updates = await afterFirst(watchInference(deps, target, options))
    const events = encodeInferenceStream(deps.addresses(), updates)
    await sendEvents(
      { clock: deps.clock, onFailure: (error) => deps.observer.faultSurvived({ requestId: incoming.id, error }) },
      reply,
      events,
    )
    return reply
  })
}
