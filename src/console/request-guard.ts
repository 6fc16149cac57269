import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { ServiceError } from '../core/error.ts'

/** The host names of this service for browsers. */
export interface OwnHosts {
  readonly addresses: () => { readonly publicUrl: string }
  readonly allowedHosts: readonly string[]
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses host names that a hostile site could point to this machine (DNS rebinding). Allowed are loopback names, bare addresses, the public
 * URL's host and the names in the settings; a bare address cannot be rebound.
 *
 * @throws {ServiceError} `invalid_request_error`.
 */
export function requireOwnHost({ host }: IncomingHttpHeaders, { addresses, allowedHosts }: OwnHosts): void {
  const name = hostName(host ?? '')
  const known = ['localhost', new URL(addresses().publicUrl).hostname, ...allowedHosts]
  if (known.includes(name) || name.endsWith('.localhost') || isIP(name) !== 0) return
  throw new ServiceError(
    'invalid_request_error',
    'Open the console at the address that the service printed, or start the service with --public-url for this name.',
    {
      param: 'host',
    },
  )
}

/**
 * Refuses requests that another site made the browser send.
 *
 * @throws {ServiceError} `insufficient_scope`.
 */
export function requireSameOrigin(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  publicUrl: string,
): void {
  if (!isSameOrigin(method, headers, publicUrl))
    throw new ServiceError('insufficient_scope', 'Use the pages of the console; this request came from another site.')
}

function isSameOrigin(method: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const safe = safeMethods.has(method)
  const site = headers['sec-fetch-site']
  const { origin } = headers
  // Browsers omit Sec-Fetch-Site over plain HTTP to other machines, and Origin on same-origin GET requests.
  if (site === undefined && origin === undefined) return safe
  if (site !== undefined && site !== 'same-origin' && !(safe && site === 'none')) return false
  return origin === undefined || isOwnOrigin(origin, headers.host, publicUrl)
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.origin === new URL(publicUrl).origin || url.host === host
}

function hostName(host: string): string {
  const address = `http://${host}`
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : ''
}
