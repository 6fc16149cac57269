import type { DocumentKind } from '../../../core/document.ts'
import type { DocumentQuery, DocumentStore } from '../../../core/ports/document-store.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import { encodePage, readPageQuery } from '../page.ts'

/**
 * Reads `after`, `limit` and `order` of a list of documents; one document more than fits on the page is asked for.
 *
 * @throws {ServiceError} `invalid_request_error` for values out of range and an `after` that is not there.
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
    /** Of one page; absent = as many as of any list. */
    readonly most?: number
  },
  options: { readonly signal: AbortSignal },
): Promise<DocumentQuery> {
  const { limit, after: id, order } = readPageQuery(query, 'desc', most)
  const last = id === null ? null : await documents.get({ kind, id, accountId }, options)
  if (id !== null && last === null) throw queryFault('after', 'must be the id that the last page ended with.')
  return { kind, accountId, order, after: last && { at: last.at, id: last.id }, limit: limit + 1 }
}

/** A page of what {@link readDocumentPage} asked for. */
export function encodeDocumentPage<Item extends { readonly id: string }>(items: readonly Item[], { limit }: DocumentQuery): object {
  return encodePage(items.slice(0, limit - 1), items.length >= limit)
}
