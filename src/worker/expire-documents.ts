import type { DocumentStore } from '../core/ports/document-store.ts'

const batch = 100

/** Removes documents that have expired. */
export async function expireDocuments(
  { documents }: { readonly documents: DocumentStore },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  while ((await documents.takeExpired(batch, options)).length === batch);
}
