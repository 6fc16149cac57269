import type { IncomingHttpHeaders } from 'node:http'

interface CookieSite {
  readonly publicUrl: string
  readonly maxAgeMs: number
  /** Whether the browser may send it when another site leads it here; default: no. */
  readonly lax?: boolean
}

/** The `Set-Cookie` value of a cookie that no script can read and no other site makes a browser send; `maxAgeMs` 0 removes it. */
export function writeHostCookie(name: string, value: string, { publicUrl, maxAgeMs, lax = false }: CookieSite): string {
  const parts = [
    `${hostCookieName(name, publicUrl)}=${value}`,
    'Path=/',
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
    'HttpOnly',
    `SameSite=${lax ? 'Lax' : 'Strict'}`,
  ]
  return [...parts, ...(publicUrl.startsWith('https:') ? ['Secure'] : [])].join('; ')
}

/** The value that a browser sent, or null. */
export function readHostCookie(name: string, { cookie = '' }: IncomingHttpHeaders, publicUrl: string): string | null {
  const wanted = `${hostCookieName(name, publicUrl)}=`
  const pair = cookie.split(';').find((part) => part.trim().startsWith(wanted))
  return pair === undefined ? null : pair.trim().slice(wanted.length)
}

/** With HTTPS a cookie's name gets the prefix that binds it to this host and to encryption. */
function hostCookieName(name: string, publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}
