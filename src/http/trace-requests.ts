import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FinishedRequest } from '../core/requests/request-record.ts'
import type { HttpObserver, RequestTrace } from './http-observer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span; absent = no tracing. */
    trace?: RequestTrace
  }
}

/** Runs every request in its span, when tracing is on. */
export function traceRequests(server: FastifyInstance, { observer }: { readonly observer: HttpObserver }): void {
  if (observer.requestStarted === undefined) return
  server.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const trace = observer.requestStarted?.({
      method: request.method,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    })
    if (trace === undefined) return done()
    request.trace = trace
    trace.enter(done)
  })
  // The body's events run in the connection's context, outside the request's span.
  server.addHook('preHandler', (request, _reply, done) => {
    if (request.trace === undefined) done()
    else request.trace.enter(done)
  })
}

/** Ends a request's span. */
export function endTrace(request: FastifyRequest, finished: FinishedRequest): void {
  request.trace?.end(finished)
}
