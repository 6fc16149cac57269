import type { FastifyInstance } from 'fastify'

/** Addresses in a page that lead to this service: those that begin with exactly one slash. */
const ownAddress = /(\s(?:href|src|action|spec-url)=["'])\/(?![/\\])/g

/** The path of an address, without a trailing slash; '' = none. */
export function prefixOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '')
}

/** Removes the path that a proxy left in front of an address. It is removed once, and only as whole segments. */
export function withoutPrefix(url: string, prefixes: readonly string[]): string {
  for (const prefix of prefixes) {
    if (prefix === '' || !url.startsWith(prefix)) continue
    const rest = url.slice(prefix.length)
    if (rest === '' || rest.startsWith('?')) return `/${rest}`
    if (rest.startsWith('/')) return rest
  }
  return url
}

/** The address of OpenAI's interface for one of Azure's, in which the model, which the body names too, may stand before the path. */
export function withoutAzurePath(url: string): string {
  return url.startsWith('/openai/') ? url.replace(/^\/openai\/(?:v1\/|deployments\/[^/?]+\/)?(?=\w)/, '/v1/') : url
}

/** Adds the path of the public address to links and redirects. */
export function addBasePath(server: FastifyInstance, prefix: string): void {
  if (prefix === '') return
  server.addHook('onSend', async (_request, reply, payload) => {
    const location = reply.getHeader('location')
    if (typeof location === 'string' && /^\/(?![/\\])/.test(location)) reply.header('location', prefix + location)
    if (!String(reply.getHeader('content-type') ?? '').startsWith('text/html')) return payload
    if (reply.hasHeader('content-encoding') || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload
    // These headers describe the page without the path.
    reply.removeHeader('etag').removeHeader('content-length')
    return payload.toString().replace(ownAddress, `$1${prefix}/`)
  })
}
