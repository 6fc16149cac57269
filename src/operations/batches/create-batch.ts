import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'
import { type Batch, batchWindowMs } from '../../core/files/batch.ts'
import { type FileDependencies, fileQuotaExceeded, findFile } from '../files/file-documents.ts'
import { batchDocument } from './batch-documents.ts'

/** Batches of one account that may be under way at once, whatever else it may have. */
const mostOpen = 50

/**
 * Makes a batch of one of the account's own files; once this resolves it is on stable storage and will reach an end.
 *
 * @throws {ServiceError} `invalid_request_error` for a file that is not there or for something else, `concurrency_limit_exceeded` for one
 *   batch too many, `quota_exceeded`.
 */
export async function createBatch(
  deps: FileDependencies,
  wanted: Pick<Batch, 'accountId' | 'tokenId' | 'endpoint' | 'inputFileId' | 'metadata' | 'filesLifetimeMs'>,
  options: { readonly signal: AbortSignal },
): Promise<Batch> {
  const { documents, clock, mostDocumentBytes: most } = deps
  const { accountId, inputFileId } = wanted
  const { purpose } = await findFile(deps, { accountId, id: inputFileId }, options).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'not_found' ? unfit('must be the id of one of your files.') : error
  })
  if (purpose !== 'batch') throw unfit(`must be a file with the purpose batch; this one is for ${purpose}.`)
  const open = await documents.list({ kind: 'batch', accountId, label: 'open', order: 'newest', after: null, limit: mostOpen }, options)
  if (open.length === mostOpen)
    throw new ServiceError(
      'concurrency_limit_exceeded',
      `This account has reached its limit of ${mostOpen} open batches; wait until one ends.`,
      {
        retryAfterSeconds: 60,
      },
    )
  const createdAt = clock.now()
  const batch: Batch = {
    ...wanted,
    id: `batch_${randomUUID()}`,
    status: 'validating',
    createdAt,
    startedAt: null,
    cancellingAt: null,
    endedAt: null,
    expiresAt: createdAt + batchWindowMs,
    faults: [],
    counts: { total: 0, completed: 0, failed: 0 },
    place: { offset: 0, page: 1 },
    running: [],
    output: { uuid: randomUUID(), bytes: 0, parts: [] },
    errors: { uuid: randomUUID(), bytes: 0, parts: [] },
  }
  if ((await documents.put(batchDocument(batch), { ...options, version: null, most })) !== 'stored') throw fileQuotaExceeded(most)
  return batch
}

function unfit(text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`input_file_id\` ${text}`, { param: 'input_file_id' })
}
