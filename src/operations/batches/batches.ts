import { randomUUID } from 'node:crypto'
import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import { type Batch, batchRetentionMs, batchWindowMs, hasEnded } from '../../core/files/batch.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import {
  type FileDependencies,
  type FileTarget,
  fileDocument,
  fileNotFound,
  fileQuotaExceeded,
  findFile,
  readFileDocument,
} from '../files/file-documents.ts'

/** Maximum number of open batches per account. */
const maxOpen = 50

/** Time after the end of a batch's window in which its last results are written. */
const lastPageMs = 60 * 60 * 1000

/**
 * Creates a batch from one of the account's files; when this resolves it is on stable storage and will be completed. Its input
 * does not expire before it has ended.
 *
 * @throws {ServiceError} `invalid_request_error` if the file does not exist or has another purpose, `concurrency_limit_exceeded` for one
 * batch too many, `quota_exceeded`.
 */
export async function createBatch(
  deps: FileDependencies,
  wanted: Pick<Batch, 'accountId' | 'tokenId' | 'endpoint' | 'inputFileId' | 'metadata' | 'filesLifetimeMs'>,
  options: Abortable,
): Promise<Batch> {
  const { documents, clock, maxDocumentBytes: most } = deps
  const { accountId, inputFileId } = wanted
  const input = { accountId, id: inputFileId }
  const { purpose } = await findFile(deps, input, options).catch(nameInput)
  if (purpose !== 'batch') throw unfit(`must be a file with the purpose batch; this one is for ${purpose}.`)
  const open = await documents.list({ kind: 'batch', accountId, label: openLabel, order: 'newest', after: null, limit: maxOpen }, options)
  if (open.length === maxOpen)
    throw new ServiceError(
      'concurrency_limit_exceeded',
      `This account has reached its limit of ${maxOpen} open batches; wait until one ends.`,
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
  await keepInput(deps, { ...input, until: batch.expiresAt + lastPageMs }, options).catch(nameInput)
  if ((await documents.put(batchDocument(batch), { ...options, version: null, most })) !== 'stored') throw fileQuotaExceeded(most)
  return batch
}

/** Has a file expire at a given time at the earliest. @throws {ServiceError} `not_found`. */
async function keepInput(
  { documents }: { readonly documents: DocumentStore },
  { until, ...target }: FileTarget & { readonly until: number },
  options: Abortable,
): Promise<void> {
  for (;;) {
    const known = await documents.get({ kind: 'file', ...target }, options)
    if (known === null) throw fileNotFound()
    if (known.expiresAt === null || known.expiresAt >= until) return
    const document = fileDocument({ ...readFileDocument(known), expiresAt: until })
    const most = Number.POSITIVE_INFINITY
    if ((await documents.put(document, { ...options, version: known.version, most })) === 'stored') return
  }
}

function nameInput(error: unknown): never {
  throw error instanceof ServiceError && error.code === 'not_found' ? unfit('must be the id of one of your files.') : error
}

function unfit(text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`input_file_id\` ${text}`, { param: 'input_file_id' })
}

/**
 * Cancels one of the account's batches; running lines are cancelled soon after. A batch that has ended does not change.
 *
 * @throws {ServiceError} `not_found`.
 */
export async function cancelBatch(
  deps: { readonly documents: DocumentStore; readonly clock: { now(): number } },
  target: { readonly accountId: string; readonly id: string },
  options: Abortable,
): Promise<Batch> {
  for (;;) {
    const { batch, version } = await findBatch(deps, target, options)
    if (hasEnded(batch) || batch.status === 'cancelling') return batch
    const cancelling: Batch = { ...batch, status: 'cancelling', cancellingAt: deps.clock.now() }
    // A conflict means that the batch has just progressed, so read it again.
    const most = Number.POSITIVE_INFINITY
    if ((await deps.documents.put(batchDocument(cancelling), { ...options, version, most })) === 'stored') return cancelling
  }
}

/** Label of batches with work left. */
export const openLabel = 'open'
const endedLabel = 'ended'

/**
 * Refuses to delete the input of a batch that has not ended. A batch that is created at the same moment fails without its file.
 *
 * @throws {ServiceError} `not_completed`, with the batch's id.
 */
export async function refuseOpenInput(
  { documents }: { readonly documents: DocumentStore },
  file: { readonly accountId: string; readonly id: string },
  options: Abortable,
): Promise<void> {
  // Concurrent calls may create some more than the limit.
  const query = { kind: 'batch', accountId: file.accountId, label: openLabel, order: 'newest', after: null, limit: 2 * maxOpen } as const
  for (const document of await documents.list(query, options)) {
    const { id, inputFileId } = readBatchDocument(document).batch
    if (inputFileId !== file.id) continue
    const fix = `wait until it ends, or cancel it with POST /v1/batches/${id}/cancel.`
    throw new ServiceError('not_completed', `This file is the input of ${id}, which has not ended; ${fix}`)
  }
}

/** A batch with the version of its record, which changes must name. */
export interface KnownBatch {
  readonly batch: Batch
  readonly version: number
}

/** The record of a batch; its files have their own records. */
export function batchDocument(batch: Batch): Document {
  const { id, accountId, createdAt, expiresAt, ...rest } = batch
  const value = JSON.parse(JSON.stringify(rest)) as JsonValue
  const label = hasEnded(batch) ? endedLabel : openLabel
  const until = expiresAt + batchRetentionMs
  return { kind: 'batch', id, accountId, value, at: createdAt, label, text: '', attachedBytes: 0, expiresAt: until }
}

/** Reads a batch from its record. Only this file writes such records, so their shape is known. */
export function readBatchDocument({ id, accountId, value, at, expiresAt, version }: StoredDocument): KnownBatch {
  const rest = value as unknown as Omit<Batch, 'id' | 'accountId' | 'createdAt' | 'expiresAt'>
  return { version, batch: { ...rest, id, accountId, createdAt: at, expiresAt: (expiresAt ?? 0) - batchRetentionMs } }
}

/** @throws {ServiceError} `not_found`, with the same message for a foreign, an unknown and a malformed id. */
export async function findBatch(
  { documents }: { readonly documents: DocumentStore },
  target: { readonly accountId: string; readonly id: string },
  options: Abortable,
): Promise<KnownBatch> {
  const found = /^[\w-]{1,128}$/.test(target.id) ? await documents.get({ kind: 'batch', ...target }, options) : null
  if (found !== null) return readBatchDocument(found)
  throw new ServiceError('not_found', 'This batch does not exist; check its id and the access token.')
}
