import type { Batch, BatchFile } from '../../core/files/batch.ts'
import { type FilePurpose, filePrefix } from '../../core/files/stored-file.ts'
import { fileDocument } from '../../operations/files/file-documents.ts'
import type { BatchDependencies } from './batch-dependencies.ts'

/**
 * Adds one page's lines to a file that a batch writes. Done twice it does the same: the page's number names the part.
 *
 * @param batch As it was before the page.
 */
export async function writePage(
  { outputs, documents, clock }: BatchDependencies,
  batch: Batch,
  { which, lines }: { readonly which: 'output' | 'errors'; readonly lines: readonly Uint8Array[] },
  options: { readonly signal: AbortSignal },
): Promise<BatchFile> {
  const { uuid, bytes, parts } = batch[which]
  if (lines.length === 0) return batch[which]
  const content = { contentType: 'application/octet-stream', chunks: lines }
  const part = await outputs.put({ inferenceId: uuid, attempt: batch.place.page }, content, options)
  const grown = { uuid, bytes: bytes + part.bytes, parts: [...parts, part] }
  const purpose: FilePurpose = 'batch_output'
  const name = `${batch.id}_${which === 'output' ? 'output' : 'error'}.jsonl`
  const now = clock.now()
  const file = { id: `${filePrefix}${uuid}`, accountId: batch.accountId, name, purpose, ...grown, createdAt: batch.createdAt }
  // Results are never refused for want of room: their inferences were, before they ran.
  const most = Number.POSITIVE_INFINITY
  await documents.put(fileDocument({ ...file, expiresAt: now + batch.filesLifetimeMs }), { ...options, most })
  return grown
}
