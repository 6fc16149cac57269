import type { IncomingHttpHeaders } from 'node:http'
import { readHostCookie, writeHostCookie } from './host-cookie.ts'

const name = 'sepia_session'

/** The `Set-Cookie` value that signs a browser in; `maxAgeMs` 0 signs it out. */
export function writeSessionCookie(secret: string, site: { readonly publicUrl: string; readonly maxAgeMs: number }): string {
  return writeHostCookie(name, secret, site)
}

/** The secret that a browser sent, or null. */
export function readSessionCookie(headers: IncomingHttpHeaders, publicUrl: string): string | null {
  return readHostCookie(name, headers, publicUrl)
}
