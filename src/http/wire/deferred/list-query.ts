import { type FieldFault, ServiceError } from '../../../core/error.ts'
import type { InferenceStatus } from '../../../core/inference.ts'

const statuses: readonly InferenceStatus[] = ['pending', 'running', 'completed']
const defaultLimit = 20
const mostPerPage = 100

export interface ListQuery {
  readonly status: InferenceStatus | null
  readonly limit: number
  readonly after: string | null
}

/** @throws {ServiceError} `invalid_request_error` for values out of range. */
export function readListQuery(query: Readonly<Record<string, unknown>>): ListQuery {
  const status = statuses.find((known) => known === query.status)
  if (query.status !== undefined && status === undefined) throw refusal('status', `\`status\` must be one of ${statuses.join(', ')}.`)
  const limit = query.limit === undefined ? defaultLimit : /^\d{1,3}$/.test(String(query.limit)) ? Number(query.limit) : 0
  if (limit < 1 || limit > mostPerPage) throw refusal('limit', `\`limit\` must be an integer from 1 to ${mostPerPage}.`)
  if (query.after !== undefined && !/^[\w-]{1,128}$/.test(String(query.after)))
    throw refusal('after', '`after` must be the response_id the last page ended with.')
  return { status: status ?? null, limit, after: query.after === undefined ? null : String(query.after) }
}

function refusal(param: string, message: string): ServiceError {
  const fault: FieldFault = { path: [param], message, kind: 'range' }
  return new ServiceError('invalid_request_error', message, { param, faults: [fault] })
}
