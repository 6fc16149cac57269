import { batchObjectSchema } from '../wire/batches/batch-object.ts'
import { batchRequestSchema } from '../wire/batches/batch-request.ts'
import { fileDeletedSchema, fileObjectSchema } from '../wire/files/file-object.ts'
import { fileRequestSchema } from '../wire/files/file-request.ts'
import { pageSchema } from '../wire/page.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'
import { pageParameters } from './page-parameters.ts'

const id: RouteParameter = { in: 'path', name: 'id', description: "The file's id.", schema: text }
const purpose: RouteParameter = { in: 'query', name: 'purpose', description: 'Only files that are for this.', schema: text }

const batchId: RouteParameter = { in: 'path', name: 'id', description: "The batch's id.", schema: text }

/** The routes about files and batches. */
export const fileRoutes: readonly DocumentedRoute[] = [
  {
    method: 'post',
    path: '/v1/files',
    summary: 'Keep a file',
    description: 'Files for batches are kept for 30 days, unless `expires_after` sets another time; `user_data` until you delete it.',
    scopes: ['text'],
    body: fileRequestSchema,
    bodyType: 'multipart/form-data',
    answers: [json('The file.', fileObjectSchema)],
    refusals: [400, 413, 415, 429, 503],
  },
  {
    method: 'get',
    path: '/v1/files',
    summary: 'List your files, newest first',
    scopes: ['text'],
    parameters: [...pageParameters('desc'), purpose],
    answers: [json('One page.', pageSchema(fileObjectSchema))],
    refusals: [400, 429],
  },
  {
    method: 'get',
    path: '/v1/files/{id}',
    summary: 'Get a file',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The file.', fileObjectSchema)],
    refusals: [404, 429],
  },
  {
    method: 'get',
    path: '/v1/files/{id}/content',
    summary: 'Fetch the content of a file',
    scopes: ['text'],
    parameters: [id],
    answers: [{ status: 200, description: 'Its bytes.', content: { 'application/octet-stream': text } }],
    refusals: [404, 429],
  },
  {
    method: 'delete',
    path: '/v1/files/{id}',
    summary: 'Delete a file',
    scopes: ['text'],
    parameters: [id],
    answers: [json('It is gone.', fileDeletedSchema)],
    refusals: [404, 429],
  },
  {
    method: 'post',
    path: '/v1/batches',
    summary: 'Send many requests in one file',
    description:
      'Each line is `{"custom_id", "method": "POST", "url", "body"}`, where `url` is the endpoint of the batch. Lines enter the queue as room appears, with low priority. Results and errors are JSON lines with their `custom_id`, kept for 24 hours unless `output_expires_after` sets another time.',
    scopes: ['text'],
    body: batchRequestSchema,
    answers: [json('The batch.', batchObjectSchema)],
    refusals: [400, 413, 415, 429, 503],
  },
  {
    method: 'get',
    path: '/v1/batches',
    summary: 'List your batches, newest first',
    scopes: ['text'],
    parameters: pageParameters('desc').filter(({ name }) => name !== 'order'),
    answers: [json('One page.', pageSchema(batchObjectSchema))],
    refusals: [400, 429],
  },
  {
    method: 'get',
    path: '/v1/batches/{id}',
    summary: 'Get a batch',
    scopes: ['text'],
    parameters: [batchId],
    answers: [json('How it stands.', batchObjectSchema)],
    refusals: [404, 429],
  },
  {
    method: 'post',
    path: '/v1/batches/{id}/cancel',
    summary: 'Cancel a batch',
    description: 'Waiting lines are cancelled shortly; finished ones stay in the results. Send no body.',
    scopes: ['text'],
    parameters: [batchId],
    answers: [json('Its current state.', batchObjectSchema)],
    refusals: [404, 413, 415, 429, 503],
  },
]
