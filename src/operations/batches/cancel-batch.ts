import { type Batch, hasEnded } from '../../core/files/batch.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import { batchDocument, findBatch } from './batch-documents.ts'

/**
 * Cancels one of the account's own batches: what runs is cancelled shortly; one that has ended stays as it is.
 *
 * @throws {ServiceError} `not_found`.
 */
export async function cancelBatch(
  deps: { readonly documents: DocumentStore; readonly clock: { now(): number } },
  target: { readonly accountId: string; readonly id: string },
  options: { readonly signal: AbortSignal },
): Promise<Batch> {
  for (;;) {
    const { batch, version } = await findBatch(deps, target, options)
    if (hasEnded(batch) || batch.status === 'cancelling') return batch
    const cancelling: Batch = { ...batch, status: 'cancelling', cancellingAt: deps.clock.now() }
    // A conflict means that the batch has just gone on; then it is looked at again.
    const most = Number.POSITIVE_INFINITY
    if ((await deps.documents.put(batchDocument(cancelling), { ...options, version, most })) === 'stored') return cancelling
  }
}
