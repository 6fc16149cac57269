import type { FastifyRequest } from 'fastify'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import { requestedWork } from '../../operations/requests/requested-work.ts'
import { receivedBody } from '../body/read-body.ts'
import { logAsInference } from '../body-log.ts'
import type { HttpDependencies } from '../http-dependencies.ts'

/** Records an asynchronous request in a form that can be sent again. */
export function recordDeferred(
  { recordRequest }: Pick<HttpDependencies, 'recordRequest'>,
  requested: {
    readonly incoming: FastifyRequest
    readonly tokenId: string | null
    readonly work: InferenceWork
    readonly inference: Inference
  },
): void {
  const { incoming, tokenId, work, inference } = requested
  const { id, accountId, kind, model, createdAt: at } = inference
  const path = incoming.routeOptions.url ?? incoming.url
  const call = { path, body: receivedBody(incoming).value }
  logAsInference(incoming, id)
  recordRequest({ id, accountId, tokenId, kind, model, at, requested: requestedWork(work, call), result: null })
}
