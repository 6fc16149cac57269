import Type, { type TInteger, type TObject, type TSchema } from 'typebox'
import { queryFault } from '../faults/refuse-faults.ts'

const mostPerPage = 100
const usualPerPage = 20

/** What `limit` may be. */
export const limitSchema: TInteger = Type.Integer({ minimum: 1, maximum: mostPerPage, default: usualPerPage })

/** A page as OpenAI's clients read it. */
export function pageSchema<Item extends TSchema>(item: Item): TObject {
  const id = Type.Union([Type.String(), Type.Null()])
  return Type.Object({ object: Type.Literal('list'), data: Type.Array(item), first_id: id, last_id: id, has_more: Type.Boolean() })
}

/** Which part of a list is wanted. */
export interface PageQuery {
  readonly limit: number
  /** The id of the last one of the page before. */
  readonly after: string | null
  readonly order: 'newest' | 'oldest'
}

/**
 * Reads `limit`, `after` and `order`, as OpenAI's lists take them.
 *
 * @param most Of one page.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readPageQuery(query: Readonly<Record<string, unknown>>, standard: 'asc' | 'desc', most = mostPerPage): PageQuery {
  const { after, order = standard } = query
  const limit = readPageLimit(query.limit, most)
  if (after !== undefined && !/^[\w-]{1,128}$/.test(String(after)))
    throw queryFault('after', 'must be the id that the last page ended with.')
  if (order !== 'asc' && order !== 'desc') throw queryFault('order', 'must be asc or desc.')
  return { limit, after: after === undefined ? null : String(after), order: order === 'asc' ? 'oldest' : 'newest' }
}

/**
 * Reads how many entries a page holds.
 *
 * @param most Of one page.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readPageLimit(limit: unknown, most = mostPerPage): number {
  if (limit === undefined) return usualPerPage
  const count = /^\d{1,5}$/.test(String(limit)) ? Number(limit) : 0
  if (count < 1 || count > most) throw queryFault('limit', `must be an integer from 1 to ${most}.`)
  return count
}

/** One page as {@link pageSchema} says. */
export function encodePage<Entry extends { readonly id?: unknown }>(data: readonly Entry[], more: boolean): object {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: more }
}

/**
 * One page of entries that are all at hand, oldest first.
 *
 * @param what What they are, as a message names them.
 * @throws {ServiceError} `invalid_request_error` when `after` is none of them.
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
