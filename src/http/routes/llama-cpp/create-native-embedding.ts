import type { FastifyInstance } from 'fastify'
import { createEmbedding } from '../../../operations/create-embedding.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import { chooseTextModel } from '../../require-text-model.ts'
import { encodeNativeEmbedding, parseNativeEmbedding } from '../../wire/llama-cpp/native-embedding.ts'

/** POST /embedding and /embeddings in llama.cpp's words; OpenAI's are at /v1/embeddings. */
export function registerCreateNativeEmbedding(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  for (const path of ['/embedding', '/embeddings'])
    api.post(path, { config: { spends: 'tokens' } }, async (incoming, reply) => {
      const caller = callerOf(incoming)
      requireScope(caller, ['text'])
      const { model, inputs } = parseNativeEmbedding(synchronousBody(incoming).value)
      const request = { model: chooseTextModel(deps.catalog, model, 'embed').id, inputs }
      const work = interactiveWork(deps, settings, incoming)
      return encodeNativeEmbedding(await createEmbedding(work, { caller, request }, { signal: clientSignal(reply) }))
    })
}
