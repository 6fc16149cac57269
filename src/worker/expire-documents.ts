import type { DocumentStore } from '../core/ports/document-store.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import { readFileDocument } from '../operations/files/file-documents.ts'

const batch = 100

/** Removes documents that have expired, and the bytes of those that are files. */
export async function expireDocuments(
  { documents, outputs }: { readonly documents: DocumentStore; readonly outputs: OutputStore },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const expired = await documents.takeExpired(batch, options)
    const files = expired.filter(({ kind }) => kind === 'file').map(readFileDocument)
    await outputs.delete(
      files.flatMap(({ parts }) => parts.map(({ key }) => key)),
      options,
    )
    if (expired.length < batch) return
  }
}
