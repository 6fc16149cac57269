import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cancelInference } from '../../operations/deferred/cancel-inference.ts'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { clientSignal } from '../client-signal.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { type InferenceRoute, readTarget, requireWritable } from '../inference-target.ts'
import { encodeInference } from '../wire/deferred/inference.ts'

/** DELETE /v1/requests/<id>: cancels and answers how the request stands then. */
export function registerCancelRequest(api: FastifyInstance, deps: RouteDependencies): void {
  api.delete('/v1/requests/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    const cancelled = await deps.deadline.keep(reply, async () => {
      requireWritable(incoming, await findInference(deps, target, options))
      return cancelInference(deps, target, options)
    })
    return encodeInference(deps.addresses(), cancelled)
  })
}
