import { ServiceError } from '../../../core/error.ts'

/** Which part of a list is wanted. */
export interface PageQuery {
  readonly limit: number
  /** The id of the last one of the page before. */
  readonly after: string | null
  readonly order: 'newest' | 'oldest'
}

/** Reads `limit`, `after` and `order`, as OpenAI's lists take them. @throws {ServiceError} `invalid_request_error`. */
export function readPageQuery(query: Readonly<Record<string, unknown>>, standard: 'asc' | 'desc'): PageQuery {
  const { limit = '20', after, order = standard } = query
  const count = /^\d{1,3}$/.test(String(limit)) ? Number(limit) : 0
  if (count < 1 || count > 100) throw refuse('limit', 'must be an integer from 1 to 100.')
  if (after !== undefined && !/^[\w-]{1,128}$/.test(String(after))) throw refuse('after', 'must be the id that the last page ended with.')
  if (order !== 'asc' && order !== 'desc') throw refuse('order', 'must be asc or desc.')
  return { limit: count, after: after === undefined ? null : String(after), order: order === 'asc' ? 'oldest' : 'newest' }
}

/** One page as OpenAI's clients read it. */
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
  if (after !== null && start === 0) throw refuse('after', `must be the id of one of the ${what}.`)
  return encodePage(ordered.slice(start, start + limit), ordered.length > start + limit)
}

function refuse(param: string, text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${param}\` ${text}`, { param })
}
