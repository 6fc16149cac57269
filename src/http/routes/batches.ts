import { cancelBatch, createBatch, findBatch, readBatchDocument } from '../../operations/batches/batches.ts'
import { receivedBody } from '../body/read-body.ts'
import { requireScope } from '../caller.ts'
import type { Route } from '../route.ts'
import { batchObjectSchema, batchRequestSchema, encodeBatch, parseBatchRequest } from '../wire/batches/batch.ts'
import { encodeDocumentPage, pageSchema, readDocumentPage } from '../wire/page.ts'
import { inPath, json, pageParameters } from './row-parts.ts'

const id = inPath('id', "The batch's id.")

/** /v1/batches: a file of many requests that run through the queue. */
export const batchRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/batches',
    summary: 'Create a batch',
    description:
      'Each line is `{"custom_id", "method": "POST", "url", "body"}`, where `url` is the endpoint of the batch. Lines enter the queue as room appears, with low priority. The input file does not expire before the batch has ended. Results and errors are JSON lines with their `custom_id`, kept for 24 hours unless `output_expires_after` sets another time. Images need a token with the scope `image` too.',
    scopes: ['text'],
    body: batchRequestSchema,
    example: { input_file_id: 'file-0123456789abcdef0123456789abcdef', endpoint: '/v1/chat/completions', completion_window: '24h' },
    answers: [json('The batch.', batchObjectSchema)],
    refusals: [400, 413, 415, 429, 503],
    handle:
      (deps) =>
      async ({ incoming, caller, options }) => {
        const { accountId, tokenId } = caller
        const { endpoint, input_file_id: inputFileId, metadata = null, filesLifetimeMs } = parseBatchRequest(receivedBody(incoming).value)
        if (endpoint === '/v1/images/generations') requireScope(caller, ['image'])
        const wanted = { accountId, tokenId: tokenId ?? undefined, endpoint, inputFileId, metadata, filesLifetimeMs }
        return encodeBatch(await createBatch(deps, wanted, options))
      },
  },
  {
    method: 'GET',
    path: '/v1/batches',
    summary: 'List your batches, newest first',
    scopes: ['text'],
    parameters: pageParameters('desc').filter(({ name }) => name !== 'order'),
    answers: [json('A page of batches.', pageSchema(batchObjectSchema))],
    refusals: [400, 429],
    handle:
      ({ documents }) =>
      async ({ caller: { accountId }, query, options }) => {
        const page = await readDocumentPage(documents, { kind: 'batch', accountId, query }, options)
        const found = await documents.list(page, options)
        return encodeDocumentPage(
          found.map((document) => encodeBatch(readBatchDocument(document).batch)),
          page,
        )
      },
  },
  {
    method: 'GET',
    path: '/v1/batches/{id}',
    summary: 'Get a batch',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The batch.', batchObjectSchema)],
    refusals: [404, 429],
    handle:
      (deps) =>
      async ({ caller: { accountId }, param, options }) =>
        encodeBatch((await findBatch(deps, { accountId, id: param('id') }, options)).batch),
  },
  {
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    summary: 'Cancel a batch',
    description: 'Waiting lines are cancelled shortly; finished ones stay in the results. Send no body.',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The batch.', batchObjectSchema)],
    refusals: [404, 413, 415, 429, 503],
    handle:
      (deps) =>
      async ({ caller: { accountId }, param, options }) =>
        encodeBatch(await cancelBatch(deps, { accountId, id: param('id') }, options)),
  },
]
