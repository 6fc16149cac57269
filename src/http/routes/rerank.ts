import type { FastifyInstance } from 'fastify'
import { rankDocuments } from '../../operations/rank-documents.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { chooseTextModel } from '../require-text-model.ts'
import { encodeRanking } from '../wire/rerank/rerank-answers.ts'
import { parseRerankRequest, rerankNames, rerankPath } from '../wire/rerank/rerank-request.ts'

/** POST /v1/rerank: documents in the order in which they answer a query. */
export function registerRerank(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  for (const path of [rerankPath, ...rerankNames])
    api.post(path, { config: { spends: 'tokens' } }, async (incoming, reply) => {
      const caller = callerOf(incoming)
      requireScope(caller, ['text'])
      const asked = parseRerankRequest(synchronousBody(incoming).value)
      const { id: model } = chooseTextModel(deps.catalog, asked.model, 'rank')
      const request = { model, query: asked.query, documents: asked.documents }
      const result = await rankDocuments(interactiveWork(deps, settings, incoming), { caller, request }, { signal: clientSignal(reply) })
      return encodeRanking(model, asked, result)
    })
}
