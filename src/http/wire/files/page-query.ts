import Type, { type TObject, type TSchema } from 'typebox'
import type { DocumentKind } from '../../../core/document.ts'
import { ServiceError } from '../../../core/error.ts'
import type { DocumentQuery, DocumentStore } from '../../../core/ports/document-store.ts'

const mostPerPage = 100
const defaultLimit = 20

/** A page of a list as OpenAI's clients walk through it. */
export function pageSchema<Item extends TSchema>(item: Item): TObject {
  const id = Type.Union([Type.String(), Type.Null()])
  return Type.Object({ object: Type.Literal('list'), data: Type.Array(item), first_id: id, last_id: id, has_more: Type.Boolean() })
}

/**
 * Reads `after`, `limit` and `order` of a list of documents; one document more than fits on the page is asked for.
 *
 * @throws {ServiceError} `invalid_request_error` for values out of range and an `after` that is not there.
 */
export async function readPageQuery(
  documents: DocumentStore,
  {
    kind,
    accountId,
    query,
  }: { readonly kind: DocumentKind; readonly accountId: string; readonly query: Readonly<Record<string, unknown>> },
  options: { readonly signal: AbortSignal },
): Promise<DocumentQuery> {
  const { limit = String(defaultLimit), order = 'desc', after } = query
  const most = /^\d{1,3}$/.test(String(limit)) ? Number(limit) : 0
  if (most < 1 || most > mostPerPage) throw refusal('limit', `must be an integer from 1 to ${mostPerPage}.`)
  if (order !== 'asc' && order !== 'desc') throw refusal('order', 'must be asc or desc.')
  const id = String(after)
  const last = after === undefined || !/^[\w-]{1,128}$/.test(id) ? null : await documents.get({ kind, id, accountId }, options)
  if (after !== undefined && last === null) throw refusal('after', 'must be the id that the last page ended with.')
  return {
    kind,
    accountId,
    order: order === 'desc' ? 'newest' : 'oldest',
    after: last && { at: last.at, id: last.id },
    limit: most + 1,
  }
}

/** A page of what {@link readPageQuery} asked for. */
export function encodePage<Item extends { readonly id: string }>(items: readonly Item[], { limit }: DocumentQuery): object {
  const data = items.slice(0, limit - 1)
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: items.length >= limit }
}

function refusal(param: string, text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${param}\` ${text}`, { param })
}
