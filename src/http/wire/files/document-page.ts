import type { DocumentKind } from '../../../core/document.ts'
import type { DocumentQuery, DocumentStore } from '../../../core/ports/document-store.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import { encodePage, readPageQuery } from '../page.ts'

/**
 * Reads `after`, `limit` and `order` of a list of documents, and fetches one document more than fits on the page.
 *
 * @throws {ServiceError} `invalid_request_error` for values out of range and for an unknown `after`.
 */
export async function readDocumentPage(
  documents: DocumentStore,
  {
    kind,
    accountId,
    query,
    most,
  }: {
    readonly kind: DocumentKind
    readonly accountId: string
    readonly query: Readonly<Record<string, unknown>>
    /** Page size; absent = that of any list. */
    readonly most?: number
  },
  options: { readonly signal: AbortSignal },
): Promise<DocumentQuery> {
  const { limit, after: id, order } = readPageQuery(query, 'desc', most)
  const last = id === null ? null : await documents.get({ kind, id, accountId }, options)
  if (id !== null && last === null) throw queryFault('after', 'must be the last id of the previous page.')
  return { kind, accountId, order, after: last && { at: last.at, id: last.id }, limit: limit + 1 }
}

/** Encodes a page of the documents of {@link readDocumentPage}. */
export function encodeDocumentPage<Item extends { readonly id: string }>(items: readonly Item[], { limit }: DocumentQuery): object {
  return encodePage(items.slice(0, limit - 1), items.length >= limit)
}
