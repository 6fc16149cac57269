import type { IncomingHttpHeaders } from 'node:http'

const name = 'sepia_session'

/** The cookie's name: with HTTPS it gets the prefix that binds it to this host and to encryption. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}

/** The `Set-Cookie` value that signs a browser in; `maxAgeMs` 0 signs it out. */
export function writeSessionCookie(
  secret: string,
  { publicUrl, maxAgeMs }: { readonly publicUrl: string; readonly maxAgeMs: number },
): string {
  const parts = [
    `${sessionCookieName(publicUrl)}=${secret}`,
    'Path=/',
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
    'HttpOnly',
    'SameSite=Strict',
  ]
  return [...parts, ...(publicUrl.startsWith('https:') ? ['Secure'] : [])].join('; ')
}

/** The secret that a browser sent, or null. */
export function readSessionCookie({ cookie = '' }: IncomingHttpHeaders, publicUrl: string): string | null {
  const wanted = `${sessionCookieName(publicUrl)}=`
  const pair = cookie.split(';').find((part) => part.trim().startsWith(wanted))
  return pair === undefined ? null : pair.trim().slice(wanted.length)
}
