import type { IncomingHttpHeaders } from 'node:http'

interface CookieSite {
  readonly publicUrl: string
  readonly maxAgeMs: number
  /** Whether the browser sends it when another site links here; default: no. */
  readonly lax?: boolean
}

/** The `Set-Cookie` value of a cookie that scripts cannot read and that other sites cannot make a browser send; `maxAgeMs` 0 removes it. */
export function writeHostCookie(name: string, value: string, { publicUrl, maxAgeMs, lax = false }: CookieSite): string {
  const parts = [
    `${hostCookieName(name, publicUrl)}=${value}`,
    `Path=${pathOf(publicUrl)}`,
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
    'HttpOnly',
    `SameSite=${lax ? 'Lax' : 'Strict'}`,
  ]
  return [...parts, ...(publicUrl.startsWith('https:') ? ['Secure'] : [])].join('; ')
}

/** The cookie's value in a request, or null. */
export function readHostCookie(name: string, { cookie = '' }: IncomingHttpHeaders, publicUrl: string): string | null {
  const wanted = `${hostCookieName(name, publicUrl)}=`
  const pair = cookie.split(';').find((part) => part.trim().startsWith(wanted))
  return pair === undefined ? null : pair.trim().slice(wanted.length)
}

/** With HTTPS, a cookie's name gets the prefix that binds it to encryption, and to this host if the service has no path of its own. */
function hostCookieName(name: string, publicUrl: string): string {
  if (!publicUrl.startsWith('https:')) return name
  return `${pathOf(publicUrl) === '/' ? '__Host-' : '__Secure-'}${name}`
}

/** The path of a cookie, for a service below a path of a shared host. */
function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname
}
