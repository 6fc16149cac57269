import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cancelInference } from '../../operations/deferred/cancel-inference.ts'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { type InferenceRoute, readTarget, requireWritable } from '../inference-target.ts'
import { encodeInference } from '../wire/deferred/inference.ts'

/** DELETE /v1/requests/<id>: cancels and answers how the request stands then. */
export function registerCancelRequest(api: FastifyInstance, deps: HttpDependencies): void {
  api.delete('/v1/requests/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    requireWritable(incoming, await findInference(deps, target, options))
    return encodeInference(deps.addresses(), await cancelInference(deps, target, options))
  })
}
