import type { InferenceStatus } from '../../../core/inference.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import { prefers } from '../../headers/async-mode.ts'
import { readPageLimit } from '../page.ts'

const longestWaitSeconds = 60

/** How long a poll may wait, and whether the Prefer header requested it. */
interface PollWait {
  readonly ms: number
  readonly preferred: boolean
}

/**
 * Reads `?wait=<seconds>`, else `Prefer: wait=<seconds>`. A larger preference is reduced to the limit.
 *
 * @throws {ServiceError} `invalid_request_error` for a parameter that is not a number from 0 to 60.
 */
export function readPollWait(wait: unknown, preferHeader: string | readonly string[] | undefined): PollWait {
  if (wait !== undefined) {
    const seconds = typeof wait === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(wait) ? Number(wait) : Number.NaN
    if (!(seconds <= longestWaitSeconds)) throw queryFault('wait', `must be a number of seconds from 0 to ${longestWaitSeconds}.`)
    return { ms: seconds * 1000, preferred: false }
  }
  const preference = prefers(preferHeader, 'wait')
  if (preference === undefined || !/^\d{1,6}$/.test(preference)) return { ms: 0, preferred: false }
  return { ms: Math.min(Number(preference), longestWaitSeconds) * 1000, preferred: true }
}

const statuses: readonly InferenceStatus[] = ['pending', 'running', 'completed']

interface ListQuery {
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
    throw queryFault('after', 'must be the last response_id of the previous page.')
  return { status: status ?? null, limit, after: query.after === undefined ? null : String(query.after) }
}
