import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../../core/access-token.ts'
import { findBatch, readBatchDocument } from '../../../operations/batches/batch-documents.ts'
import { cancelBatch } from '../../../operations/batches/cancel-batch.ts'
import { createBatch } from '../../../operations/batches/create-batch.ts'
import { receivedBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { encodeBatch } from '../../wire/batches/batch-object.ts'
import { parseBatchRequest } from '../../wire/batches/batch-request.ts'
import { encodeDocumentPage, readDocumentPage } from '../../wire/files/document-page.ts'

interface BatchRoute {
  readonly Params: { readonly id: string }
}

/** /v1/batches: many requests in one file, over the queue. */
export function registerBatches(api: FastifyInstance, deps: RouteDependencies, { mostDocumentBytes }: HttpSettings): void {
  const callerOfText = (incoming: FastifyRequest): Caller => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    return caller
  }
  const accountOf = (incoming: FastifyRequest): string => callerOfText(incoming).accountId

  api.post('/v1/batches', async (incoming, reply) => {
    const { accountId, tokenId } = callerOfText(incoming)
    const { endpoint, input_file_id: inputFileId, metadata = null, filesLifetimeMs } = parseBatchRequest(receivedBody(incoming).value)
    const wanted = { accountId, ...(tokenId !== null && { tokenId }), endpoint, inputFileId, metadata, filesLifetimeMs }
    return encodeBatch(await createBatch({ ...deps, mostDocumentBytes }, wanted, { signal: clientSignal(reply) }))
  })

  api.get('/v1/batches', { config: { query: ['after', 'limit'] } }, async (incoming, reply) => {
    const accountId = accountOf(incoming)
    const options = { signal: clientSignal(reply) }
    const page = await readDocumentPage(deps.documents, { kind: 'batch', accountId, query: Object(incoming.query) }, options)
    const found = await deps.documents.list(page, options)
    return encodeDocumentPage(
      found.map((document) => encodeBatch(readBatchDocument(document).batch)),
      page,
    )
  })

  api.get<BatchRoute>('/v1/batches/:id', async (incoming, reply) => {
    const target = { accountId: accountOf(incoming), id: incoming.params.id }
    return encodeBatch((await findBatch(deps, target, { signal: clientSignal(reply) })).batch)
  })

  api.post<BatchRoute>('/v1/batches/:id/cancel', async (incoming, reply) => {
    const target = { accountId: accountOf(incoming), id: incoming.params.id }
    return encodeBatch(await cancelBatch(deps, target, { signal: clientSignal(reply) }))
  })
}
