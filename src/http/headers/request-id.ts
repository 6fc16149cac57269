import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The names under which every answer carries its request's id; the second is what the published clients print. */
export const requestIdHeaders = ['x-request-id', 'x-user-request-id'] as const

/** The caller's own id when it is well-formed, else a new one. */
export function chooseRequestId(headers: IncomingHttpHeaders): string {
  for (const name of requestIdHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && /^[\w-]{1,128}$/.test(value)) return value
  }
  return randomUUID()
}
