import Type, { type TInteger, type TObject, type TSchema } from 'typebox'
import type { DocumentKind } from '../../core/document.ts'
import type { DocumentQuery, DocumentStore } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { queryFault } from '../faults/refuse-faults.ts'

const maxPerPage = 100
const usualPerPage = 20

const afterFault = () => queryFault('after', 'must be the last id of the previous page.')

/** The allowed values of `limit`. */
export const limitSchema: TInteger = Type.Integer({ minimum: 1, maximum: maxPerPage, default: usualPerPage })

/** A page in OpenAI's format. */
export function pageSchema<Item extends TSchema>(item: Item): TObject {
  const id = Type.Union([Type.String(), Type.Null()])
  return Type.Object({ object: Type.Literal('list'), data: Type.Array(item), first_id: id, last_id: id, has_more: Type.Boolean() })
}

/** A query for one page of a list. */
export interface PageQuery {
  readonly limit: number
  /** The last id of the previous page. */
  readonly after: string | null
  readonly order: 'newest' | 'oldest'
}

/**
 * Reads `limit`, `after` and `order` of OpenAI's lists.
 *
 * @param most The largest page.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readPageQuery(query: Readonly<Record<string, unknown>>, standard: 'asc' | 'desc', most = maxPerPage): PageQuery {
  const { after, order = standard } = query
  const limit = readPageLimit(query.limit, most)
  if (after !== undefined && !/^[\w-]{1,128}$/.test(String(after))) throw afterFault()
  if (order !== 'asc' && order !== 'desc') throw queryFault('order', 'must be asc or desc.')
  return { limit, after: after === undefined ? null : String(after), order: order === 'asc' ? 'oldest' : 'newest' }
}

/**
 * Reads the size of a page.
 *
 * @param most The largest page.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readPageLimit(limit: unknown, most = maxPerPage): number {
  if (limit === undefined) return usualPerPage
  const count = /^\d{1,5}$/.test(String(limit)) ? Number(limit) : 0
  if (count < 1 || count > most) throw queryFault('limit', `must be an integer from 1 to ${most}.`)
  return count
}

/** Encodes a page in the format of {@link pageSchema}. */
export function encodePage<Entry extends { readonly id?: unknown }>(data: readonly Entry[], more: boolean): object {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: more }
}

/**
 * One page of entries that are all in memory, oldest first.
 *
 * @param what The kind of entries, for messages.
 * @throws {ServiceError} `invalid_request_error` when `after` is not one of them.
 */
export function pageOf<Entry extends { readonly id?: unknown }>(
  entries: readonly Entry[],
  { limit, after, order }: PageQuery,
  what: string,
): object {
  const ordered = order === 'oldest' ? entries : entries.toReversed()
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && start === 0) throw queryFault('after', `must be the id of one of the ${what}.`)
  return encodePage(ordered.slice(start, start + limit), ordered.length > start + limit)
}

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
  options: Abortable,
): Promise<DocumentQuery> {
  const { limit, after: id, order } = readPageQuery(query, 'desc', most)
  const last = id === null ? null : await documents.get({ kind, id, accountId }, options)
  if (id !== null && last === null) throw afterFault()
  return { kind, accountId, order, after: last && { at: last.at, id: last.id }, limit: limit + 1 }
}

/** Encodes a page of the documents of {@link readDocumentPage}. */
export function encodeDocumentPage<Item extends { readonly id: string }>(items: readonly Item[], { limit }: DocumentQuery): object {
  return encodePage(items.slice(0, limit - 1), items.length >= limit)
}
