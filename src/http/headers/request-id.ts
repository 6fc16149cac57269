import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { momentOfId } from '../../core/deferred/inference-id.ts'

/** The headers with the request's id in every answer. The published clients print the second. */
export const requestIdHeaders = ['x-request-id', 'x-user-request-id'] as const

/** The caller's own id if it is well-formed, otherwise a new one. */
export function chooseRequestId(headers: IncomingHttpHeaders): string {
  for (const name of requestIdHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && /^[\w-]{1,128}$/.test(value)) return value
  }
  // A UUID of version 7. Random ids would each change another page of the index of requests, and every commit writes changed pages.
  const moment = momentOfId(Date.now())
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${randomUUID().slice(15)}`
}
