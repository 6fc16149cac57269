import type { DocumentStore } from '../core/ports/document-store.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import { bodyFiles } from '../operations/bodies/kept-bodies.ts'
import { readFileDocument } from '../operations/files/file-documents.ts'

const batch = 100

/** Removes documents that have expired, and the bytes that lie beside those of files and of the request log. */
export async function expireDocuments(
  { documents, outputs }: { readonly documents: DocumentStore; readonly outputs: OutputStore },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const expired = await documents.takeExpired(batch, options)
    const files = expired.filter(({ kind }) => kind === 'file').map(readFileDocument)
    await outputs.delete([...files.flatMap(({ parts }) => parts.map(({ key }) => key)), ...bodyFiles(expired)], options)
    if (expired.length < batch) return
  }
}
