import type { InferenceStatus } from '../../../core/inference.ts'
import { queryFault } from '../faults/query-fault.ts'
import { readPageLimit } from '../page.ts'

const statuses: readonly InferenceStatus[] = ['pending', 'running', 'completed']

export interface ListQuery {
  readonly status: InferenceStatus | null
  readonly limit: number
  readonly after: string | null
}

/** @throws {ServiceError} `invalid_request_error` for values out of range. */
export function readListQuery(query: Readonly<Record<string, unknown>>): ListQuery {
  const status = statuses.find((known) => known === query.status)
  if (query.status !== undefined && status === undefined) throw queryFault('status', `must be one of ${statuses.join(', ')}.`)
  const limit = readPageLimit(query.limit)
  if (query.after !== undefined && !/^[\w-]{1,128}$/.test(String(query.after)))
    throw queryFault('after', 'must be the response_id the last page ended with.')
  return { status: status ?? null, limit, after: query.after === undefined ? null : String(query.after) }
}
