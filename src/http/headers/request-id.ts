import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { makeOrderedId } from '../../core/deferred/inference-id.ts'

/** The headers with the request's id in every answer. The published clients print the second. */
export const requestIdHeaders = ['x-request-id', 'x-user-request-id'] as const

/** The caller's own id if it is well-formed, otherwise a new one. */
export function chooseRequestId(headers: IncomingHttpHeaders): string {
  for (const name of requestIdHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && /^[\w-]{1,128}$/.test(value)) return value
  }
  return makeOrderedId(randomUUID(), Date.now())
}
