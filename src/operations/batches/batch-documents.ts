import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import { type Batch, batchRetentionMs, hasEnded } from '../../core/files/batch.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'

/** The label of batches that somebody has to go on with. */
export const openLabel = 'open'
const endedLabel = 'ended'

/** A batch and the version of its record, which a change of it must name. */
export interface KnownBatch {
  readonly batch: Batch
  readonly version: number
}

/** A batch's record; its files have records of their own. */
export function batchDocument(batch: Batch): Document {
  const { id, accountId, createdAt, expiresAt, ...rest } = batch
  const value = JSON.parse(JSON.stringify(rest)) as JsonValue
  const label = hasEnded(batch) ? endedLabel : openLabel
  const until = expiresAt + batchRetentionMs
  return { kind: 'batch', id, accountId, value, at: createdAt, label, text: '', attachedBytes: 0, expiresAt: until }
}

/** A batch of its record; records of this kind are written here and nowhere else, so that their shape is known. */
export function readBatchDocument({ id, accountId, value, at, expiresAt, version }: StoredDocument): KnownBatch {
  const rest = value as unknown as Omit<Batch, 'id' | 'accountId' | 'createdAt' | 'expiresAt'>
  return { version, batch: { ...rest, id, accountId, createdAt: at, expiresAt: (expiresAt ?? 0) - batchRetentionMs } }
}

/** @throws {ServiceError} `not_found`, in the same words for a foreign, an unknown and a malformed id. */
export async function findBatch(
  { documents }: { readonly documents: DocumentStore },
  target: { readonly accountId: string; readonly id: string },
  options: { readonly signal: AbortSignal },
): Promise<KnownBatch> {
  const found = /^[\w-]{1,128}$/.test(target.id) ? await documents.get({ kind: 'batch', ...target }, options) : null
  if (found !== null) return readBatchDocument(found)
  throw new ServiceError('not_found', 'This batch does not exist; check its id and the access token.')
}
