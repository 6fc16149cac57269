import type { FastifyInstance } from 'fastify'

/** Addresses in a page that lead to this service itself: those that begin with one slash. */
const ownAddress = /(\s(?:href|src|action|spec-url)=["'])\/(?![/\\])/g

/** The path of an address, without a trailing slash; '' = it has none. */
export function prefixOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '')
}

/**
 * An address as the routes know it: without the path below which a proxy leads here and which it left in front. It is taken off once, and only where
 * it stands whole.
 */
export function withoutPrefix(url: string, prefixes: readonly string[]): string {
  for (const prefix of prefixes) {
    if (prefix === '' || !url.startsWith(prefix)) continue
    const rest = url.slice(prefix.length)
    if (rest === '' || rest.startsWith('?')) return `/${rest}`
    if (rest.startsWith('/')) return rest
  }
  return url
}

/** Puts the path of the public address before those that pages and redirects lead to. */
export function answerBelow(server: FastifyInstance, prefix: string): void {
  if (prefix === '') return
  server.addHook('onSend', async (_request, reply, payload) => {
    const location = reply.getHeader('location')
    if (typeof location === 'string' && /^\/(?![/\\])/.test(location)) reply.header('location', prefix + location)
    if (!String(reply.getHeader('content-type') ?? '').startsWith('text/html')) return payload
    if (reply.hasHeader('content-encoding') || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload
    // It is that of the page without the path.
    reply.removeHeader('etag').removeHeader('content-length')
    return payload.toString().replace(ownAddress, `$1${prefix}/`)
  })
}
