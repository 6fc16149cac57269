import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../core/error.ts'
import { isMessagesSurface } from './answers/surface.ts'
import { accountOf } from './caller.ts'
import { requestIdHeaders } from './headers/request-id.ts'
import { safetyHeadersOf } from './headers/safety-headers.ts'
import type { HttpDependencies } from './http-dependencies.ts'

/**
 * Begins every request: it runs in its span when tracing is on, its answer gets the headers that all answers have, and its end is reported.
 *
 * @throws {ServiceError} `invalid_request_error`, from the hook, unless the request has one Host header.
 */
export function watchRequests(server: FastifyInstance, { observer, isDraining, addresses }: HttpDependencies): void {
  const safetyHeaders = safetyHeadersOf()
  server.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request
    const { traceparent } = headers
    const trace = observer.requestStarted?.({ method, traceparent: typeof traceparent === 'string' ? traceparent : undefined })
    request.answeredBy = reply
    for (const name of requestIdHeaders) reply.header(name, request.id)
    if (isMessagesSurface(request)) reply.header('request-id', request.id)
    reply.headers(safetyHeaders(addresses().publicUrl))
    // A draining server must not keep idle connections.
    if (isDraining()) reply.header('connection', 'close')
    const startedAt = performance.now()
    reply.raw.on('close', () => {
      const finished = {
        requestId: request.id,
        method,
        route: request.routeOptions.url ?? 'unmatched',
        status: reply.raw.writableFinished ? reply.raw.statusCode : 499,
        durationMs: performance.now() - startedAt,
        accountId: accountOf(request),
      }
      observer.requestFinished(finished)
      trace?.end(finished)
    })
    if (!isOneHost(request.raw)) done(new ServiceError('invalid_request_error', 'Send one Host header.', { param: 'host' }))
    else if (trace === undefined) done()
    else trace.enter(done)
  })
}

/**
 * With two Host headers, a proxy and this service could use different ones. HTTP/1.0 needs none.
 *
 * @see RFC 9112, section 3.2
 */
function isOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
}
