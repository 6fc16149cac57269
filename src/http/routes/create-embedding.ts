import type { FastifyInstance } from 'fastify'
import { createEmbedding } from '../../operations/create-embedding.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { requireTextModel } from '../require-text-model.ts'
import { encodeEmbedding } from '../wire/chat/embedding.ts'
import { parseEmbeddingRequest } from '../wire/chat/embedding-request.ts'

/** POST /v1/embeddings. */
export function registerCreateEmbedding(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  api.post('/v1/embeddings', { config: { spends: 'tokens' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const { request, encoding } = parseEmbeddingRequest(synchronousBody(incoming).value)
    requireTextModel(deps.catalog, request.model, 'embed')
    const result = await createEmbedding(interactiveWork(deps, settings, incoming), { caller, request }, { signal: clientSignal(reply) })
    return encodeEmbedding(request.model, result, encoding)
  })
}
