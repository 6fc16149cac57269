import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../core/error.ts'
import { refuseDeferredHeaders } from './deferred-headers.ts'

/**
 * The value of one preference of a Prefer header; "" when it has no value.
 *
 * @see RFC 7240, section 2
 */
export function prefers(header: string | readonly string[] | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (const preference of String(header).split(',')) {
    const [key = '', value = ''] = (preference.split(';')[0] ?? '').split('=')
    if (key.trim().toLowerCase() === name) return value.trim().replace(/^"(.*)"$/, '$1')
  }
  return undefined
}

/** The way in which a request asked for asynchronous mode. */
export type AsyncMode = 'off' | 'header' | 'preference'

/**
 * Whether a request is to be answered later. Empty, `0` and `false` mean no: the published client sends an empty header with every call.
 *
 * @throws {ServiceError} `invalid_request_error` for any other value.
 */
export function readAsyncMode(headers: IncomingHttpHeaders, aliases: readonly string[]): AsyncMode {
  for (const name of ['x-service-async', ...aliases]) {
    const value = String(headers[name] ?? '')
      .trim()
      .toLowerCase()
    if (value === '1' || value === 'true') return 'header'
    if (value !== '' && value !== '0' && value !== 'false')
      throw new ServiceError('invalid_request_error', `Set the header ${name} to 1 for asynchronous mode, or leave it out.`, {
        param: name,
      })
  }
  return prefers(headers.prefer, 'respond-async') === undefined ? 'off' : 'preference'
}

/** @throws {ServiceError} `unsupported_parameter` when a header demands asynchronous mode or only works in it. */
export function refuseAsyncMode(headers: IncomingHttpHeaders, mode: AsyncMode): void {
  if (mode === 'header')
    throw new ServiceError('unsupported_parameter', 'This address answers synchronously only; leave the header X-Service-Async out.', {
      param: 'x-service-async',
    })
  refuseDeferredHeaders(headers)
}
