import type { FastifyInstance } from 'fastify'

/** Headers that pages of other origins may read. */
const exposed = [
  ...['location', 'retry-after', 'etag', 'x-request-id', 'x-user-request-id', 'request-id', 'idempotent-replayed'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
].join(', ')

/** How long a browser may cache the permission, in seconds. */
const rememberedSeconds = 600

/**
 * Lets pages of these origins call the public interface with a token of their own.
 *
 * Cookies are not allowed, and the console's own addresses are excluded, so that its session cannot be used from elsewhere.
 *
 * @param origins Such as `https://app.example`; `*` = all of them; empty = none.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const all = origins.includes('*')
  server.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': wanted, 'access-control-request-headers': names } = request.headers
    if (isConsole(request.url)) return done()
    if (!all) reply.header('vary', 'origin')
    if (origin === undefined || !(all || origins.includes(origin))) return done()
    reply.header('access-control-allow-origin', all ? '*' : origin).header('access-control-expose-headers', exposed)
    if (request.method !== 'OPTIONS' || wanted === undefined) return done()
    reply.header('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
    // Clients send custom headers, and the browser asks for each of them by name.
    if (typeof names === 'string' && /^[\w!#$%&'*+.^`|~\-, ]{1,2000}$/.test(names)) reply.header('access-control-allow-headers', names)
    reply.header('access-control-max-age', rememberedSeconds)
    reply.code(204).send()
  })
}

function isConsole(url: string): boolean {
  return /^\/(?:console(?:[/?]|$)|\?|$)/.test(url)
}
