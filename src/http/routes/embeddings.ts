import Type from 'typebox'
import { createEmbedding as embed, rankDocuments } from '../../operations/run-work.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { Route } from '../route.ts'
import { embeddingRequestSchema, parseEmbeddingRequest } from '../wire/chat/embedding-request.ts'
import { chooseTextModel, requireTextModel } from '../wire/chat/require-text-model.ts'
import { embeddingSchema, encodeEmbedding } from '../wire/chat/text-answers.ts'
import { encodeRanking, rerankSchema, textRankSchema } from '../wire/rerank/rerank-answers.ts'
import { parseRerankRequest, rerankRequestSchema } from '../wire/rerank/rerank-request.ts'
import { json, modelRefusals } from './row-parts.ts'

/** POST /v1/embeddings. */
export const createEmbedding: Route = {
  method: 'POST',
  path: '/v1/embeddings',
  origin: 'textUrl',
  summary: 'Embed texts',
  scopes: ['text'],
  spends: 'tokens',
  model: 'embedding',
  body: embeddingRequestSchema,
  example: { model: 'all-minilm-l6-v2', input: ['a fox', 'a hare'] },
  answers: [json('One vector of unit length per input.', embeddingSchema)],
  refusals: modelRefusals,
  handle:
    (deps) =>
    async ({ incoming, caller, options, work }) => {
      const { request, encoding } = parseEmbeddingRequest(synchronousBody(incoming).value)
      requireTextModel(deps.catalog, request.model, 'embed')
      return encodeEmbedding(request.model, await embed(work, { caller, request }, options), encoding)
    },
}

/** Other addresses of /v1/rerank in other servers. */
const rerankNames = ['/rerank', '/v1/reranking', '/reranking', '/v2/rerank']

/** POST /v1/rerank: orders documents by how well they answer a query. */
export const rerank: Route = {
  method: 'POST',
  path: '/v1/rerank',
  alsoAt: rerankNames,
  origin: 'textUrl',
  summary: 'Rank documents by how well they answer a query',
  description: `In the format of Jina and Cohere; with \`texts\`, of TEI's. Also at ${rerankNames.join(', ')}.`,
  scopes: ['text'],
  spends: 'tokens',
  body: rerankRequestSchema,
  example: { query: 'an animal of the forest', documents: ['a fox in the snow', 'a ship at sea'], top_n: 1 },
  answers: [json('The documents, best first; for `texts`, a list of `index` and `score`.', Type.Union([rerankSchema, textRankSchema]))],
  refusals: modelRefusals,
  handle:
    (deps) =>
    async ({ incoming, caller, options, work }) => {
      const requested = parseRerankRequest(synchronousBody(incoming).value)
      const { id: model } = chooseTextModel(deps.catalog, requested.model, 'rank')
      const request = { model, query: requested.query, documents: requested.documents }
      return encodeRanking(model, requested, await rankDocuments(work, { caller, request }, options))
    },
}
